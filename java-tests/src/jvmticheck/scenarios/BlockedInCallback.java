package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.CountDownLatch;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that queues for a monitor, enters it, waits on it and is notified. In one of the events that tell of that, the agent lets it
 * queue for another monitor, by calling `pass`. The checkpoint that a case uses tells in which.
 */
public class BlockedInCallback extends OnPlatformThreads implements Scenario {
    /** How long a thread may take that nothing hinders, in milliseconds, and how often the main thread sleeps in that time at least. */
    private static final long PATIENCE = 10000;
    private static final int SLEEPS = 500;

    private static Object other;
    /** Whether the thread queues for the other monitor, as an event tells; and whether it has entered it. */
    private static volatile boolean queues;
    private static volatile boolean passed;

    private final Notice lock = new Notice();
    private Thread one;
    private Thread keeper;
    private CountDownLatch release;

    @Override
    public final void run() throws Exception {
        other = new Object();
        queues = false;
        passed = false;
        Probe.bind("class", BlockedInCallback.class);
        Probe.bind("lock", lock);
        Probe.bind("other", other);
        one = create("one", new Runnable() {
            @Override
            public void run() {
                lock.enterAndWait();
            }
        });
        Probe.bind("one", one);
        keep();
        try {
            synchronized (lock) {
                one.start();
                if (Probe.isUsed("inside_enter")) {
                    inside("inside_enter");
                }
                Probe.await(one, State.BLOCKED, "enter");
            }
            if (Probe.isUsed("inside_entered")) {
                inside("inside_entered");
            }
            if (Probe.isUsed("inside_wait")) {
                inside("inside_wait");
            }
            Probe.await(one, State.WAITING, "wait");
            if (Probe.isUsed("outside_wait")) {
                Probe.checkpoint("outside_wait");
            }
            lock.give();
            if (Probe.isUsed("inside_waited")) {
                inside("inside_waited");
            }
            one.join();
        } finally {
            release.countDown();
            keeper.join();
        }
    }

    /** Lets a thread hold the other monitor until it is released. */
    private void keep() throws InterruptedException {
        final CountDownLatch held = new CountDownLatch(1);
        release = new CountDownLatch(1);
        keeper = Stage.daemon("keeper", new Runnable() {
            @Override
            public void run() {
                synchronized (other) {
                    held.countDown();
                    try {
                        release.await();
                    } catch (InterruptedException nobody) {
                        throw new IllegalStateException(nobody);
                    }
                }
            }
        });
        keeper.start();
        held.await();
    }

    /** Marks the moment at which the thread queues for the other monitor, and lets it enter that. */
    private void inside(String checkpoint) throws InterruptedException {
        new Patience(PATIENCE, SLEEPS).until(new Probe.Condition() {
            @Override
            public boolean holds() {
                return queues;
            }
        });
        Probe.fact("queued", queues ? 1 : 0);
        if (queues) {
            Probe.await(one, State.BLOCKED, "pass");
            Probe.checkpoint(checkpoint);
            release.countDown();
            Probe.await("the thread to enter the other monitor", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return passed;
                }
            });
        }
    }

    /** The agent calls it in an event on the thread. */
    static void pass() {
        synchronized (other) {
            passed = true;
        }
    }

    /** The agent calls it in the event that tells that the thread is about to queue for the other monitor. */
    static void queue() {
        queues = true;
    }
}
