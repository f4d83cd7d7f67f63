package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that queues for a monitor, enters it and waits on it for a moment, while the agent may enter the monitor once more in the
 * events that tell of that. Then another thread enters the monitor.
 */
public class HeldByCallback extends OnPlatformThreads implements Scenario {
    /** How long a thread may take that nothing hinders, in milliseconds, and how often the main thread sleeps in that time at least. */
    private static final long PATIENCE = 2000;
    private static final int SLEEPS = 500;

    @Override
    public final void run() throws Exception {
        final Object lock = new Object();
        Probe.bind("lock", lock);
        final Thread one = create("one", new Runnable() {
            @Override
            public void run() {
                enter(lock);
                Probe.checkpoint("left");
            }
        });
        Probe.bind("one", one);
        synchronized (lock) {
            one.start();
            Probe.await(one, State.BLOCKED);
        }
        boolean ended = new Patience(PATIENCE, SLEEPS).untilEnded(one);
        Thread other = Stage.daemon("other", new Runnable() {
            @Override
            public void run() {
                synchronized (lock) {
                    one.isAlive();
                }
            }
        });
        boolean entered = false;
        if (ended) {
            other.start();
            entered = new Patience(PATIENCE, SLEEPS).untilEnded(other);
        }
        Probe.fact("ended", (ended ? "the thread has ended" : "the thread has not ended")
            + (entered ? ", the other has entered" : ""));
    }

    static void enter(Object lock) {
        synchronized (lock) {
            Probe.checkpoint("entered");
            try {
                lock.wait(1);
            } catch (InterruptedException nobody) {
                throw new IllegalStateException(nobody);
            }
        }
    }
}
