package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Scenario;

/**
 * A virtual thread that is unmounted and mounted again and again, and three others that ask it for its name and state, and unpark it, all
 * the time. JDK 21 and newer.
 */
public final class VirtualAsked extends Beset implements Scenario {
    /** How often the first of them asks at most between two checkpoints: its method entries may be recorded. */
    private static final int MOST = 60;
    /** How often each of them asks for the name at most between two checkpoints: each name takes memory. */
    private static final int NAMES = Reclaimed.isPossible() ? Integer.MAX_VALUE : 1_000;

    private volatile int length;

    public VirtualAsked() {
        super("asked", "asking", 25, TimeUnit.MILLISECONDS.toNanos(20));
    }

    @Override
    void rest() {
        Thread.yield();
    }

    /** Asks all the time, so many times between two checkpoints, and rests then. To spin without a call would stop Zero for good. */
    @Override
    void beset(Thread asked, int number) {
        int most = number == 1 ? MOST : Integer.MAX_VALUE;
        int at = passed;
        int times = 0;
        while (!over) {
            if (at != passed) {
                at = passed;
                times = 0;
            }
            if (times < most) {
                times++;
                length = (times < NAMES ? asked.toString().length() : 0) + asked.getState().ordinal();
                LockSupport.unpark(asked);
            } else {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
    }
}
