package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls a method so often that any JVM with a compiler compiles it; with `-Xbatch` the thread waits for the compilation. */
public final class HotMethod implements Scenario {
    private static final int CALLS = 200_000;
    /** How often it makes so many calls, for compilers that need not be done before the thread goes on. */
    private static final int ATTEMPTS = 50;
    /** The method writes this field, so that no call can be optimised away. */
    static volatile int sum;

    @Override
    public void run() {
        Probe.bind("class", HotMethod.class);
        Probe.checkpoint("before");
        // HotSpot says "mixed mode" or "compiled mode" when a compiler is at work, OpenJ9 whether its own is enabled.
        String info = System.getProperty("java.vm.info");
        boolean hasCompiler = !info.contains("interpreted") && !info.contains("JIT disabled");
        boolean isCompiled = false;
        for (int attempt = 0; attempt < ATTEMPTS && !isCompiled; attempt++) {
            for (int i = 0; i < CALLS; i++) {
                sum += hot(i);
            }
            isCompiled = !hasCompiler || Probe.isCompiled(HotMethod.class, "hot");
        }
        // A JVM with a compiler that tells of no compiled method at all has one all the same; one that tells of others may not.
        Probe.fact("compiled", hasCompiler && (isCompiled || !Probe.hasCompiled()) ? 1 : 0);
        Probe.checkpoint("compiled");
        Probe.checkpoint("after");
    }

    static int hot(int argument) {
        return argument * 31 + 7;
    }
}
