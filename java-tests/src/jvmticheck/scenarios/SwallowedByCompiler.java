package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Code with a method that names a class which its class loader does not find is executed until the JVM has asked for that class, which nothing
 * but a compiler needs: the class loader throws. Afterwards `raise` throws and catches an exception.
 */
public final class SwallowedByCompiler implements Scenario {
    private static final int MOST_CALLS = 1000000;

    private static final RuntimeException THROWN = new IllegalStateException("thrown");

    /** What the class loader does not find. */
    static final class Missing {
    }

    /** Calls a method with a parameter of that class. */
    public static class Code implements Runnable {
        private int calls;

        @Override
        public final void run() {
            take(null, this);
        }

        private static int take(Missing missing, Code code) {
            return missing == null ? code.calls++ : 0;
        }
    }

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("thrown", THROWN);
        LackingLoader loader = new LackingLoader(SwallowedByCompiler.class);
        Class<?> type = loader.define(Code.class, new EditedClass(Code.class).bytes());
        Runnable code = (Runnable) type.getDeclaredConstructor().newInstance();
        Probe.checkpoint("before");
        for (int i = 0; i < MOST_CALLS && loader.failed == 0; i++) {
            code.run();
        }
        int caught = raise();
        Probe.checkpoint("after");
        Probe.fact("failed", loader.failed > 0 ? 1 : 0);
        Probe.fact("caught", caught);
    }

    static int raise() {
        try {
            throw THROWN;
        } catch (IllegalStateException expected) {
            return 1;
        }
    }
}
