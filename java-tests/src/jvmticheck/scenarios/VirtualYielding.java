package jvmticheck.scenarios;

import java.util.concurrent.atomic.AtomicInteger;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Virtual threads that do nothing but yield until the checkpoint `yielding` is over, or until they catch an exception. */
public final class VirtualYielding implements Scenario {
    private static final String[] NAMES = {"first", "second", "third", "fourth"};
    private static final long PATIENCE = 15_000;

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger left = new AtomicInteger();
    private final Error exception = new Error("thrown by an agent");
    private volatile boolean over;
    private volatile int turns;

    @Override
    public void run() throws Exception {
        Probe.bind("exception", exception);
        Thread[] threads = new Thread[NAMES.length];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Virtual.thread(NAMES[i], new Runnable() {
                @Override
                public void run() {
                    rest();
                }
            });
            Probe.bind(NAMES[i], threads[i]);
            threads[i].start();
        }
        Probe.await("all threads to yield", new Probe.Condition() {
            @Override
            public boolean holds() {
                return begun.get() == NAMES.length && turns > 100;
            }
        });
        Probe.checkpoint("yielding");
        over = true;
        int ended = 0;
        long deadline = System.nanoTime() + PATIENCE * 1_000_000;
        for (Thread thread : threads) {
            thread.join(Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
            ended += thread.isAlive() ? 0 : 1;
        }
        Probe.fact("ended", ended);
        Probe.fact("left", left.get());
        Probe.checkpoint("after");
    }

    private void rest() {
        try {
            yieldAlways();
        } catch (Error caught) {
            if (caught != exception) {
                throw caught;
            }
        }
    }

    private void yieldAlways() {
        try {
            begun.incrementAndGet();
            while (!over) {
                turns++;
                Thread.yield();
            }
        } finally {
            left.incrementAndGet();
        }
    }
}
