package jvmticheck.scenarios;

import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Threads that call each method of `Throwing` once between `cold` and `warm`, and once more after `hot`, when they have been called
 * often.
 */
public class Thrown extends OnPlatformThreads implements Scenario {
    /** Calls that are enough for a compiler to take notice. */
    private static final int OFTEN = 300;
    /** Calls of methods that take long, which no compiler improves. */
    private static final int SELDOM = 20;
    private static final int FAILED = 26;

    @Override
    public final void run() throws Exception {
        Throwing.attempt(FAILED);
        try (Stage stage = new Stage()) {
            Caller caller = new Caller();
            Thread thread = stage.keep(create("caller", caller));
            thread.start();
            caller.awaitParked(thread, 0);
            Probe.checkpoint("cold");
            caller.allow(thread, 1);
            caller.awaitParked(thread, 1);
            Probe.checkpoint("warm");
            warm();
            Probe.checkpoint("hot");
            caller.allow(thread, 2);
            thread.join();
        }
        Probe.checkpoint("after");
    }

    private static void warm() {
        for (int kind = 0; kind < Throwing.KINDS; kind++) {
            int times = kind < FAILED ? OFTEN : SELDOM;
            for (int i = 0; i < times; i++) {
                Throwing.attempt(kind);
            }
        }
    }

    /** Calls each method once in each of two rounds. */
    private static final class Caller implements Runnable {
        private volatile int allowed;
        private volatile int done;

        @Override
        public void run() {
            for (int round = 1; round <= 2; round++) {
                while (allowed < round) {
                    LockSupport.park(this);
                }
                for (int kind = 0; kind < Throwing.KINDS; kind++) {
                    Throwing.attempt(kind);
                }
                done = round;
            }
        }

        void awaitParked(final Thread thread, final int rounds) {
            Probe.await(thread.getName() + " to end its round", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return done == rounds && thread.getState() == Thread.State.WAITING;
                }
            });
        }

        void allow(Thread thread, int round) {
            allowed = round;
            LockSupport.unpark(thread);
        }
    }
}
