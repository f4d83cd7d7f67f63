package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads that wait to enter the monitor of a class, for a method or for a block, which the main thread owns. */
public final class ClassLocked implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("lock", Locked.class);
        try (Stage stage = new Stage()) {
            Thread method = stage.cast("method", new Runnable() {
                @Override
                public void run() {
                    Locked.method();
                }
            });
            Thread block = stage.cast("block", new Runnable() {
                @Override
                public void run() {
                    Locked.block();
                }
            });
            synchronized (Locked.class) {
                method.start();
                Probe.await(method, Thread.State.BLOCKED, "method");
                block.start();
                Probe.await(block, Thread.State.BLOCKED, "block");
                Probe.checkpoint("blocked");
            }
            method.join();
            block.join();
        }
        Probe.checkpoint("after");
    }

    /** The class whose monitor it is. */
    private static final class Locked {
        private static int entered;

        static synchronized void method() {
            entered++;
        }

        static void block() {
            synchronized (Locked.class) {
                entered++;
            }
        }
    }
}
