package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** An interrupted thread that does what the thread of `MethodKinds` does. */
public final class InterruptedMethodKinds extends MethodKinds implements Scenario {
    @Override
    Thread create(final String name, final Runnable body) throws Exception {
        return Stage.daemon(name, new Interrupted(body));
    }

    /** Interrupts the thread and does the rest. */
    static final class Interrupted implements Runnable {
        private final Runnable body;

        Interrupted(Runnable body) {
            this.body = body;
        }

        @Override
        public void run() {
            Thread.currentThread().interrupt();
            body.run();
        }
    }
}
