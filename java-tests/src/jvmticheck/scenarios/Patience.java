package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;

/** How long a scenario waits for what nobody promises: for some time, and on a busy machine, where others do not run for long, for more. */
final class Patience {
    private final long end;
    private int sleeps;

    /** It ends after that many milliseconds, but not before that many sleeps. */
    Patience(long millis, int sleeps) {
        end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        this.sleeps = sleeps;
    }

    /** Waits until the condition holds, or until the end; returns whether it holds. */
    boolean until(Probe.Condition condition) throws InterruptedException {
        boolean more = true;
        while (more && !condition.holds()) {
            more = sleep();
        }
        return condition.holds();
    }

    /** The same until the thread has ended. */
    boolean untilEnded(final Thread thread) throws InterruptedException {
        return until(new Probe.Condition() {
            @Override
            public boolean holds() {
                return !thread.isAlive();
            }
        });
    }

    /** Sleeps for a moment, or returns false at the end. */
    boolean sleep() throws InterruptedException {
        if (sleeps <= 0 && System.nanoTime() >= end) {
            return false;
        }
        Thread.sleep(1);
        sleeps--;
        return true;
    }
}
