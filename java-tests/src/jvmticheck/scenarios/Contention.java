package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** One thread that has to wait for a monitor and then gets it, and threads that wait on a monitor, one until it is notified. */
public final class Contention implements Scenario {
    /** How long the last call of Object.wait has lasted, in nanoseconds: it may return for no reason at all. */
    private volatile long lasted;

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
            Probe.fact("timed_waiter.over", lasted >= 1000000 ? 1 : 0);
            Probe.checkpoint("after");
        }
    }

    private Runnable waitOnce(final Object monitor, final long millis) {
        return new Runnable() {
            @Override
            public void run() {
                synchronized (monitor) {
                    long start = System.nanoTime();
                    try {
                        monitor.wait(millis);
                    } catch (InterruptedException ended) {
                        Thread.currentThread().interrupt();
                    }
                    lasted = System.nanoTime() - start;
                }
            }
        };
    }
}
