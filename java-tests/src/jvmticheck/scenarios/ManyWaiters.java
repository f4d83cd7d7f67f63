package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A monitor that the main thread owns, which twelve threads wait to enter, and on which ten others wait to be notified. */
public final class ManyWaiters implements Scenario {
    private static final int CONTENDERS = 12;
    private static final int WAITERS = 10;

    private final Notice lock = new Notice();

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("lock", lock);
        try (Stage stage = new Stage()) {
            for (int i = 0; i < WAITERS; i++) {
                Thread waiter = stage.cast("waiter_" + i, new Runnable() {
                    @Override
                    public void run() {
                        lock.enterAndWait();
                    }
                });
                waiter.start();
                Probe.await(waiter, Thread.State.WAITING, "wait");
            }
            synchronized (lock) {
                for (int i = 0; i < CONTENDERS; i++) {
                    Thread contender = stage.cast("contender_" + i, new Runnable() {
                        @Override
                        public void run() {
                            enter();
                        }
                    });
                    contender.start();
                    Probe.await(contender, Thread.State.BLOCKED, "enter");
                }
                Probe.checkpoint("crowded");
                lock.give();
            }
        }
        Probe.checkpoint("after");
    }

    private void enter() {
        synchronized (lock) {
            lock.notifyAll();
        }
    }
}
