package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;

/** How long a scenario waits for what nobody promises: for some time, and on a busy machine, where others do not run for long, for more. */
final class Patience {
    private final long end;
    private int sleeps;

    /** It ends after that many milliseconds, but not before that many sleeps. */
    Patience(long millis, int sleeps) {
        end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        this.sleeps = sleeps;
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
