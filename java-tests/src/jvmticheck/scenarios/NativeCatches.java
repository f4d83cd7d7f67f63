package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A native method calls a Java method, which throws, and clears the exception. */
public final class NativeCatches implements Scenario {
    private final RuntimeException thrown = new IllegalStateException("caught by a native method");

    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("thrown", thrown);
        Probe.checkpoint("before");
        int caught = callsNative(new Thrower(thrown));
        Probe.checkpoint("after");
        Probe.fact("caught", caught);
    }

    static int callsNative(Runnable thrower) {
        boolean caught = swallow(thrower);
        return caught ? 1 : 0;
    }

    /** Runs the argument and clears what it throws; returns whether it threw. */
    private static native boolean swallow(Runnable thrower);

    /** Throws the exception that it is created with. */
    private static final class Thrower implements Runnable {
        private final RuntimeException thrown;

        Thrower(RuntimeException thrown) {
            this.thrown = thrown;
        }

        @Override
        public void run() {
            throw thrown;
        }
    }
}
