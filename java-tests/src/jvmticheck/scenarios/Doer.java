package jvmticheck.scenarios;

import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;

/**
 * What a thread of the scenarios `Rounds` and `VirtualRounds` does: the same deeds in each of three rounds, twice, with a
 * pause in between, in which a virtual thread is unmounted. It is parked before each round.
 */
final class Doer implements Runnable {
    static final int ROUNDS = 3;

    static int read;
    static volatile int written;
    static volatile Object kept;

    /** What it waits on. */
    final Object own = new Object();
    private Thread thread;
    private volatile int allowed;
    private volatile int done;

    /** Tells it which thread executes it, and starts that. */
    void start(Thread executing) {
        thread = executing;
        thread.start();
    }

    @Override
    public void run() {
        rounds();
    }

    private void rounds() {
        for (int round = 1; round <= ROUNDS; round++) {
            awaitRound(round);
            deed(round);
            done = round;
        }
    }

    private void awaitRound(int round) {
        while (allowed < round) {
            LockSupport.park(this);
        }
    }

    /** Waits until the thread is parked before that round. It pauses, because each look at the thread may cause events, too. */
    void awaitParked(final int round) {
        Probe.await(thread.getName() + " to end its round", new Probe.Condition() {
            @Override
            public boolean holds() {
                LockSupport.parkNanos(this, 1000000);
                return done == round - 1 && thread.getState() == Thread.State.WAITING;
            }
        });
    }

    /** Lets the thread begin that round. */
    void allow(int round) {
        allowed = round;
        LockSupport.unpark(thread);
    }

    private void deed(int round) {
        half(round);
        LockSupport.parkNanos(this, 100000);
        waitOnce();
        half(round);
        waitOnce();
    }

    /** Everything but the wait, once. */
    static int half(int round) {
        single();
        int sum = target(round) + reader();
        writer(sum);
        catcher(sum);
        allocator();
        return sum;
    }

    /** Waits on a monitor until the timeout elapses. */
    private void waitOnce() {
        synchronized (own) {
            try {
                own.wait(1);
            } catch (InterruptedException over) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Has a single instruction. */
    static void single() {
    }

    static int target(int argument) {
        return argument * 2 + 1;
    }

    static int reader() {
        return read;
    }

    static void writer(int value) {
        written = value;
    }

    static void thrower(int value) {
        throw new IllegalStateException("round " + value);
    }

    static void catcher(int value) {
        try {
            thrower(value);
        } catch (IllegalStateException caught) {
            kept = caught;
        }
    }

    static void allocator() {
        kept = new Allocated();
    }

    /** What each half of a round allocates once. */
    static final class Allocated {
    }
}
