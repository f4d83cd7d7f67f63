package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that waits with a timeout of more milliseconds than an int can count, and is notified soon. */
public final class LongWait implements Scenario {
    private static final long MILLIS = 5000000000L;

    private final Object lock = new Object();
    private volatile boolean over;

    @Override
    public void run() throws Exception {
        Probe.bind("lock", lock);
        try (Stage stage = new Stage()) {
            Thread waiter = stage.cast("waiter", new Runnable() {
                @Override
                public void run() {
                    await();
                }
            });
            Probe.checkpoint("before");
            stage.startTimed(waiter, "wait");
            Probe.checkpoint("waiting");
            synchronized (lock) {
                over = true;
                lock.notifyAll();
            }
            waiter.join();
            Probe.checkpoint("after");
        }
    }

    void await() {
        synchronized (lock) {
            try {
                while (!over) {
                    lock.wait(MILLIS);
                }
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
