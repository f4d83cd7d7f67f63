package jvmticheck.scenarios;

import java.lang.reflect.Array;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls a native method of the agent's library, and then one of the class library for the first time and often. */
public final class RedirectedNative implements Scenario {
    /** Calls that are enough for a compiler to take notice. */
    private static final int OFTEN = 30000;
    private static final int[] SEVEN = new int[7];

    @Override
    public void run() {
        Probe.checkpoint("before");
        Probe.fact("one", Natives.one());
        int first = length();
        Probe.fact("first", first);
        int others = 0;
        for (int i = 0; i < OFTEN; i++) {
            if (length() != first) {
                others++;
            }
        }
        Probe.fact("others", others);
        Probe.fact("last", length());
        Probe.checkpoint("after");
    }

    /** `Array.getLength` is native in most class libraries. */
    private static int length() {
        return Array.getLength(SEVEN);
    }
}
