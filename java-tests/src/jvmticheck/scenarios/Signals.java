package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Threads to stop and to interrupt, one for each case. The scenario states what has reached them when all that a case names
 * have ended, and ends those that nobody has signalled like other threads of a stage.
 */
public final class Signals implements Scenario {
    /** The error that an agent throws in a thread to stop it. */
    static final Throwable SENT = new Error("sent from outside");

    /** How long to wait for the threads to end. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

    @Override
    public void run() throws Exception {
        Probe.bind("sent", SENT);
        final Object monitor = new Object();
        try (Stage stage = new Stage()) {
            final Bodies bodies = stage.bodies;
            stage.startSpinning(stage.cast("spinner", new Runnable() {
                @Override
                public void run() {
                    String caught = "nothing";
                    try {
                        bodies.spinUntilOver();
                    } catch (Throwable thrown) {
                        caught = thrown == SENT ? "sent" : thrown.toString();
                    }
                    Probe.fact("spinner.caught", caught);
                }
            }));
            stage.start(stage.cast("waiter", new Runnable() {
                @Override
                public void run() {
                    String caught = "nothing";
                    try {
                        synchronized (monitor) {
                            while (!bodies.over) {
                                monitor.wait();
                            }
                        }
                    } catch (Throwable thrown) {
                        caught = thrown == SENT ? "sent" : thrown.toString();
                    }
                    Probe.fact("waiter.caught", caught);
                }
            }), State.WAITING, "wait");
            stage.startSpinning(stage.cast("interrupted_spinner", new Runnable() {
                @Override
                public void run() {
                    spinUntilInterrupted();
                    Probe.fact("interrupted_spinner.over", bodies.over ? 1 : 0);
                }

                private void spinUntilInterrupted() {
                    while (!Thread.currentThread().isInterrupted()) {
                        // Spins until it is interrupted.
                    }
                }
            }));
            stage.start(stage.cast("interrupted_sleeper", new Runnable() {
                @Override
                public void run() {
                    try {
                        Thread.sleep(TimeUnit.DAYS.toMillis(1));
                    } catch (InterruptedException interrupted) {
                        Probe.fact("interrupted_sleeper.over", bodies.over ? 1 : 0);
                        Probe.fact("interrupted_sleeper.pending", Thread.currentThread().isInterrupted() ? 1 : 0);
                    }
                }
            }), State.TIMED_WAITING, "sleep");
            stage.start(stage.cast("interrupted_parked", new Runnable() {
                @Override
                public void run() {
                    while (!Thread.currentThread().isInterrupted()) {
                        LockSupport.park();
                    }
                    Probe.fact("interrupted_parked.over", bodies.over ? 1 : 0);
                }
            }), State.WAITING, "park");
            Probe.checkpoint("running");
            settle(stage, "spinner", "waiter", "interrupted_spinner", "interrupted_sleeper", "interrupted_parked");
        }
        Probe.checkpoint("after");
    }

    private static void settle(final Stage stage, final String... names) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE;
        for (String name : names) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left > 0 && Probe.isUsed(name)) {
                stage.thread(name).join(left);
            }
        }
    }
}
