package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A virtual thread that is unmounted and mounted again and again, and three others that ask it for its name and state, and unpark it, all
 * the time. JDK 21 and newer.
 */
public final class VirtualAsked implements Scenario {
    private static final int ROUNDS = 25;
    private static final int ASKING = 3;
    /** How often the first of them asks at most between two checkpoints: its method entries may be recorded. */
    private static final int MOST = 60;
    private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(20);

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger gone = new AtomicInteger();
    private volatile boolean over;
    private volatile int length;
    /** How often `asked` has been about to yield. */
    private volatile int yields;
    /** The number of checkpoints that were passed. */
    private volatile int passed;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            final Thread asked = stage.keep(Virtual.thread("asked", new Runnable() {
                @Override
                public void run() {
                    while (!over) {
                        yields++;
                        Thread.yield();
                    }
                }
            }));
            asked.start();
            for (int i = 1; i <= ASKING; i++) {
                final int most = i == 1 ? MOST : Integer.MAX_VALUE;
                stage.keep(Virtual.thread("asking" + i, new Runnable() {
                    @Override
                    public void run() {
                        begun.incrementAndGet();
                        ask(asked, most);
                        gone.incrementAndGet();
                    }
                })).start();
            }
            Probe.await("all threads to ask", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return begun.get() == ASKING;
                }
            });
            for (int i = 0; i < ROUNDS; i++) {
                Probe.checkpoint("round");
                letYield();
                Probe.checkpoint("next");
                letYield();
            }
            Probe.checkpoint("resumed");
            over = true;
        }
        Probe.fact("gone", gone.get());
    }

    /** Waits until `asked` has been unmounted again, but not for long: it may be that it cannot go on. */
    private void letYield() {
        passed++;
        int before = yields;
        long begin = System.nanoTime();
        while (yields - before < 2 && System.nanoTime() - begin < PATIENCE) {
            Thread.yield();
        }
    }

    /** Asks all the time, so many times between two checkpoints, and rests then. To spin without a call would stop Zero for good. */
    private void ask(Thread asked, int most) {
        int at = passed;
        int times = 0;
        while (!over) {
            if (at != passed) {
                at = passed;
                times = 0;
            }
            if (times < most) {
                times++;
                length = asked.toString().length() + asked.getState().ordinal();
                LockSupport.unpark(asked);
            } else {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
    }
}
