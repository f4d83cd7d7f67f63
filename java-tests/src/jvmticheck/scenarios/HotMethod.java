package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls a method so often that any JVM with a compiler compiles it; with `-Xbatch` the thread waits for the compilation. */
public final class HotMethod implements Scenario {
    private static final int CALLS = 200_000;
    /** The method writes this field, so that no call can be optimised away. */
    static volatile int sum;

    @Override
    public void run() {
        Probe.bind("class", HotMethod.class);
        Probe.checkpoint("before");
        for (int i = 0; i < CALLS; i++) {
            sum += hot(i);
        }
        // HotSpot says "mixed mode" or "compiled mode" when a compiler is at work, OpenJ9 whether its own is enabled.
        String info = System.getProperty("java.vm.info");
        Probe.fact("compiled", info.contains("interpreted") || info.contains("JIT disabled") ? 0 : 1);
        Probe.checkpoint("compiled");
        Probe.checkpoint("after");
    }

    static int hot(int argument) {
        return argument * 31 + 7;
    }
}
