package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls a method, and has another one that ends the JVM, for an agent to call. */
public final class ExitCalled implements Scenario {
    private static int calls;

    @Override
    public void run() {
        Probe.checkpoint("before");
        target();
        Probe.checkpoint("after");
    }

    static void target() {
        calls++;
    }

    static void exit() {
        System.exit(0);
    }
}
