package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread waits with a timeout and is notified before that has elapsed. Who notifies it keeps the monitor until long after. The fact
 * `early` says whether the machine was fast enough.
 */
public class HeldNotification implements Scenario {
    private static final long MILLIS = 400;
    private static final long AFTER = 200;
    private static final long NANOS = 1000000;

    private final Object lock = new Object();
    private volatile long start;

    @Override
    public void run() throws Exception {
        Thread waiter = create(new Runnable() {
            @Override
            public void run() {
                await();
            }
        });
        waiter.setDaemon(true);
        Probe.bind("waiter", waiter);
        Probe.bind("lock", lock);
        Probe.checkpoint("before");
        waiter.start();
        Probe.await(waiter, Thread.State.TIMED_WAITING, Thread.State.TERMINATED);
        long passed;
        synchronized (lock) {
            lock.notifyAll();
            passed = passed();
            while (passed() < MILLIS + AFTER) {
                Thread.sleep(MILLIS + AFTER - passed() + 1);
            }
        }
        waiter.join();
        Probe.checkpoint("after");
        Probe.fact("early", passed < MILLIS ? 1 : 0);
    }

    /** A thread of the kind, unstarted. */
    Thread create(Runnable body) throws Exception {
        return new Thread(body, "waiter");
    }

    /** The milliseconds since the thread was about to wait, rounded up. */
    private long passed() {
        return (System.nanoTime() - start + NANOS - 1) / NANOS;
    }

    private void await() {
        synchronized (lock) {
            start = System.nanoTime();
            try {
                lock.wait(MILLIS);
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
