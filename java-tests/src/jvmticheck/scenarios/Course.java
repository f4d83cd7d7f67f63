package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that is in another state, or in other frames, at each checkpoint. */
public class Course extends OnPlatformThreads implements Scenario {
    private static final int DEEP = 7;

    private final Object lock = new Object();
    private final Object held = new Object();
    private volatile int moment;
    private int rounds;
    Object made;

    @Override
    public final void run() throws Exception {
        Probe.bind("lock", lock);
        Probe.bind("held", held);
        Probe.bind("main", Thread.currentThread());
        try (Stage stage = new Stage()) {
            Thread thread = stage.keep(create("changing", new Runnable() {
                @Override
                public void run() {
                    live();
                }
            }));
            Probe.checkpoint("made");
            stage.start(thread, State.WAITING, "park");
            Probe.checkpoint("parked");
            allow(thread);
            Probe.awaitStackTop(thread, "spin");
            thread.interrupt();
            Probe.checkpoint("interrupted");
            allow(thread);
            Probe.await(thread, State.WAITING, "park");
            Probe.checkpoint("deeper");
            allow(thread);
            Probe.await(thread, State.WAITING, "wait");
            Probe.checkpoint("waiting");
            synchronized (lock) {
                allow(thread);
                lock.notifyAll();
                Probe.await(thread, State.BLOCKED, "wait");
                Probe.checkpoint("notified");
            }
            Probe.await(thread, State.WAITING, "park");
            Probe.checkpoint("released");
            allow(thread);
            thread.join();
            Probe.checkpoint("ended");
        }
    }

    /** Lets the thread go on to its next moment. */
    private void allow(Thread thread) {
        moment++;
        LockSupport.unpark(thread);
    }

    final void live() {
        park(1);
        spin(2);
        if (!Thread.interrupted()) {
            throw new IllegalStateException("not interrupted");
        }
        descend(DEEP);
        synchronized (held) {
            await();
        }
        park(5);
    }

    private void descend(int depth) {
        if (depth > 0) {
            descend(depth - 1);
        } else {
            park(3);
        }
    }

    private void park(int end) {
        while (moment < end) {
            LockSupport.park(this);
        }
    }

    private void spin(int end) {
        while (moment < end) {
            if (++rounds % Bodies.SOME == 0) {
                made = new byte[0];
            }
        }
    }

    private void await() {
        synchronized (lock) {
            try {
                while (moment < 4) {
                    lock.wait();
                }
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
