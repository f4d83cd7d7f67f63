package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A virtual thread that sleeps for a moment again and again, so that it is unmounted and mounted, and three others that interrupt it all the
 * time. JDK 21 and newer.
 */
public final class VirtualInterrupted implements Scenario {
    private static final int ROUNDS = 50;
    private static final int INTERRUPTING = 3;
    private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(10);

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger gone = new AtomicInteger();
    private volatile boolean over;
    /** How often `interrupted` has been about to sleep. */
    private volatile int sleeps;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            final Thread interrupted = stage.keep(Virtual.thread("interrupted", new Runnable() {
                @Override
                public void run() {
                    sleep();
                }
            }));
            interrupted.start();
            for (int i = 1; i <= INTERRUPTING; i++) {
                stage.keep(Virtual.thread("interrupting" + i, new Runnable() {
                    @Override
                    public void run() {
                        begun.incrementAndGet();
                        while (!over) {
                            interrupted.interrupt();
                        }
                        gone.incrementAndGet();
                    }
                })).start();
            }
            Probe.await("all threads to interrupt", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return begun.get() == INTERRUPTING;
                }
            });
            for (int i = 0; i < ROUNDS; i++) {
                Probe.checkpoint("round");
                letSleep();
                Probe.checkpoint("next");
                letSleep();
            }
            Probe.checkpoint("resumed");
            over = true;
        }
        Probe.fact("gone", gone.get());
    }

    private void sleep() {
        while (!over) {
            sleeps++;
            try {
                Thread.sleep(0, 1000);
            } catch (InterruptedException again) {
                continue;
            }
        }
    }

    /** Waits until `interrupted` has slept again, but not for long: it may be that it cannot go on. */
    private void letSleep() {
        int before = sleeps;
        long begin = System.nanoTime();
        while (sleeps - before < 2 && System.nanoTime() - begin < PATIENCE) {
            Thread.yield();
        }
    }
}
