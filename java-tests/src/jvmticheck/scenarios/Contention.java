package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** One thread that has to wait for a monitor and then gets it, and one that waits on a monitor and is notified. */
public final class Contention implements Scenario {
    @Override
    public void run() {
        Object lock = new Object();
        Probe.bind("lock", lock);
        Probe.bind("main", Thread.currentThread());
        try (Stage stage = new Stage()) {
            final Thread blocked = stage.cast("blocked", Bodies.enter(lock));
            Probe.checkpoint("before");
            synchronized (lock) {
                stage.startBlocked(blocked);
                Probe.checkpoint("contended");
            }
            Probe.await(blocked, Thread.State.TERMINATED);
            Probe.checkpoint("entered");
            final Object monitor = new Object();
            Probe.bind("monitor", monitor);
            Thread waiter = stage.cast("waiter", waitOnce(monitor, 0));
            Thread timed = stage.cast("timed_waiter", waitOnce(monitor, 1));
            stage.start(waiter, Thread.State.WAITING, "wait");
            Probe.checkpoint("waiting");
            synchronized (monitor) {
                monitor.notifyAll();
            }
            Probe.await(waiter, Thread.State.TERMINATED);
            stage.startAndEnd(timed);
            Probe.checkpoint("after");
        }
    }

    private static Runnable waitOnce(final Object monitor, final long millis) {
        return new Runnable() {
            @Override
            public void run() {
                synchronized (monitor) {
                    try {
                        monitor.wait(millis);
                    } catch (InterruptedException ended) {
                        Thread.currentThread().interrupt();
                    }
                }
            }
        };
    }
}
