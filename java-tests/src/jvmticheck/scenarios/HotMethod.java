package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls a method so often that any VM with a compiler compiles it; with `-Xbatch` it waits for that. */
public final class HotMethod implements Scenario {
    private static final int CALLS = 200_000;
    /** Written so that no call can be left out. */
    static volatile int sum;

    @Override
    public void run() {
        Probe.bind("class", HotMethod.class);
        Probe.checkpoint("before");
        for (int i = 0; i < CALLS; i++) {
            sum += hot(i);
        }
        // "mixed mode" or "compiled mode" where there is a compiler at work.
        Probe.fact("compiled", System.getProperty("java.vm.info").contains("interpreted") ? 0 : 1);
        Probe.checkpoint("compiled");
        Probe.checkpoint("after");
    }

    static int hot(int argument) {
        return argument * 31 + 7;
    }
}
