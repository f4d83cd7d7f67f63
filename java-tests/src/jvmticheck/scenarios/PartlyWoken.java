package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Two monitors on which threads wait, of which one each has been interrupted or notified while the main thread owns the monitor. */
public final class PartlyWoken implements Scenario {
    private static final String[] TO_BE_NOTIFIED = {"one", "two", "three"};

    @Override
    public void run() {
        final Object left = new Object();
        Object notified = new Object();
        Probe.bind("left", left);
        Probe.bind("notified", notified);
        try (Stage stage = new Stage()) {
            stage.start(stage.cast("waiting", stage.bodies.await(left, false)), State.WAITING, "wait");
            Thread woken = stage.start(stage.cast("woken", stage.bodies.await(left, false)), State.WAITING, "wait");
            final Thread[] all = new Thread[TO_BE_NOTIFIED.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = stage.start(stage.cast(TO_BE_NOTIFIED[i], stage.bodies.awaitNotified(notified)), State.WAITING, "wait");
            }
            synchronized (left) {
                woken.interrupt();
                Probe.await(woken, State.BLOCKED, "wait");
                synchronized (notified) {
                    notified.notify();
                    Probe.await("a thread to be notified", new Probe.Condition() {
                        @Override
                        public boolean holds() {
                            return blocked(all) == 1;
                        }
                    });
                    Probe.checkpoint("woken");
                }
            }
        }
        Probe.checkpoint("after");
    }

    private static int blocked(Thread[] threads) {
        int blocked = 0;
        for (Thread thread : threads) {
            if (thread.getState() == State.BLOCKED) {
                blocked++;
            }
        }
        return blocked;
    }
}
