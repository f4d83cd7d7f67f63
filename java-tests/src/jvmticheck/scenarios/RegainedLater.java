package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that waits on an object and is notified. In the event that it has finished waiting the agent lets it wait in another way, by
 * calling one of the methods. Then it has to regain the monitor, which the main thread owns meanwhile.
 */
public class RegainedLater extends OnPlatformThreads implements Scenario {
    /** How long a thread may take that nothing hinders, in milliseconds, and how often a thread sleeps in that time at least. */
    private static final long PATIENCE = 2000;
    private static final int SLEEPS = 500;

    private static volatile boolean inside;
    private static volatile boolean held;
    private static volatile boolean over;

    private final Notice lock = new Notice();

    @Override
    public final void run() throws Exception {
        inside = false;
        held = false;
        over = false;
        Probe.bind("class", RegainedLater.class);
        Probe.bind("lock", lock);
        Thread one = create("one", new Runnable() {
            @Override
            public void run() {
                lock.enterAndWait();
            }
        });
        Probe.bind("one", one);
        Probe.checkpoint("before");
        one.start();
        Probe.await(one, State.WAITING, "wait");
        lock.give();
        boolean reached = new Patience(PATIENCE, SLEEPS).until(new Probe.Condition() {
            @Override
            public boolean holds() {
                return inside;
            }
        });
        if (reached) {
            regain(one);
        } else {
            Probe.fact("held", 0);
        }
        one.join();
    }

    /** Where the thread owns the monitor in the event already, it is in nobody's way. */
    private void regain(Thread one) {
        synchronized (lock) {
            // Once `held` is set, the thread may be over at any time.
            boolean inEvent = !over;
            held = true;
            Probe.fact("held", inEvent ? 1 : 0);
            if (inEvent) {
                Probe.await("the method to be over", new Probe.Condition() {
                    @Override
                    public boolean holds() {
                        return over;
                    }
                });
                Probe.await(one, State.BLOCKED);
                Probe.checkpoint("regaining");
            }
        }
    }

    static void nothing() throws InterruptedException {
        awaitHeld();
    }

    static void waitElsewhere() throws InterruptedException {
        Object other = new Object();
        synchronized (other) {
            other.wait(1);
        }
        awaitHeld();
    }

    static void sleepElsewhere() throws InterruptedException {
        Thread.sleep(1);
        awaitHeld();
    }

    static void parkElsewhere() throws InterruptedException {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        awaitHeld();
    }

    /** Waits until the main thread owns the monitor, without any wait that a JVM would note. */
    private static void awaitHeld() {
        inside = true;
        long start = System.nanoTime();
        while (!held && System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(PATIENCE)) {
            Thread.yield();
        }
        over = true;
    }
}
