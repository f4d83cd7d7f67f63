package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that calls Object.wait in each way, one after the other, each on an object of its own. Two calls are refused before the
 * thread waits: on `unowned`, whose monitor it does not own, and on `negative`, with a negative timeout. As a call may return for no
 * reason at all, the facts say whether those with a timeout have lasted that long.
 */
public class Waits implements Scenario {
    /** A timeout that never elapses, in milliseconds. */
    private static final long LONG = 1000000;

    private final Object unowned = new Object();
    private final Object negative = new Object();
    private final Object timed = new Object();
    private final Object rounded = new Object();
    private final Object notified = new Object();
    private final Object early = new Object();
    private final Object interrupted = new Object();
    private volatile Object current;
    /** What a call has returned from, for whatever reason. */
    private volatile Object left;
    private int refused;
    private int ended;
    private boolean timedOver;
    private boolean roundedOver;

    @Override
    public void run() throws Exception {
        Thread waiter = create(new Runnable() {
            @Override
            public void run() {
                try {
                    waitRefused();
                    waitAccepted();
                } catch (InterruptedException wrong) {
                    throw new IllegalStateException(wrong);
                }
            }
        });
        waiter.setDaemon(true);
        Probe.bind("waiter", waiter);
        Probe.bind("unowned", unowned);
        Probe.bind("negative", negative);
        Probe.bind("timed", timed);
        Probe.bind("rounded", rounded);
        Probe.bind("notified", notified);
        Probe.bind("early", early);
        Probe.bind("interrupted", interrupted);
        Probe.checkpoint("before");
        waiter.start();
        wake(waiter, notified, Thread.State.WAITING);
        wake(waiter, early, Thread.State.TIMED_WAITING);
        awaitIn(waiter, interrupted, Thread.State.TIMED_WAITING);
        waiter.interrupt();
        waiter.join();
        Probe.checkpoint("after");
        Probe.fact("refused", refused);
        Probe.fact("ended", ended);
        Probe.fact("timed.over", timedOver ? 1 : 0);
        Probe.fact("rounded.over", roundedOver ? 1 : 0);
    }

    /** A thread of the kind, unstarted. */
    Thread create(Runnable body) throws Exception {
        return new Thread(body, "waiter");
    }

    private void waitRefused() throws InterruptedException {
        try {
            unowned.wait();
        } catch (IllegalMonitorStateException expected) {
            refused++;
        }
        try {
            synchronized (negative) {
                negative.wait(-1);
            }
        } catch (IllegalArgumentException expected) {
            refused++;
        }
    }

    private void waitAccepted() throws InterruptedException {
        long start = System.nanoTime();
        synchronized (timed) {
            timed.wait(2);
        }
        timedOver = System.nanoTime() - start >= 2000000;
        start = System.nanoTime();
        synchronized (rounded) {
            rounded.wait(1, 500000);
        }
        roundedOver = System.nanoTime() - start >= 1500000;
        waitOn(notified, 0);
        waitOn(early, LONG);
        try {
            waitOn(interrupted, LONG);
        } catch (InterruptedException expected) {
            ended++;
        }
    }

    private void waitOn(Object monitor, long timeout) throws InterruptedException {
        synchronized (monitor) {
            current = monitor;
            try {
                monitor.wait(timeout);
            } finally {
                left = monitor;
            }
            ended++;
        }
    }

    private void wake(Thread waiter, Object monitor, Thread.State state) {
        awaitIn(waiter, monitor, state);
        synchronized (monitor) {
            monitor.notify();
        }
    }

    private void awaitIn(final Thread waiter, final Object monitor, final Thread.State state) {
        Probe.await("the thread to wait", new Probe.Condition() {
            @Override
            public boolean holds() {
                return left == monitor || current == monitor && waiter.getState() == state;
            }
        });
    }
}
