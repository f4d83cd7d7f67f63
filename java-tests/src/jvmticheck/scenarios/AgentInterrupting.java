package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Two threads that mark a checkpoint again and again, at which an agent may interrupt a virtual thread, while another virtual thread parks
 * for a moment all the time. JDK 21 and newer.
 */
public final class AgentInterrupting implements Scenario {
    private static final int ROUNDS = 40;
    private static final int INTERRUPTING = 2;
    /** How often each of them marks its checkpoint at most between two others, all of which may be recorded. */
    private static final int MOST = 100;
    private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(10);

    private final AtomicInteger marks = new AtomicInteger();
    private final AtomicInteger gone = new AtomicInteger();
    private volatile boolean over;
    private volatile boolean ended;
    private volatile int round;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            for (String name : new String[] {"interrupted", "other"}) {
                stage.keep(Virtual.thread(name, new Runnable() {
                    @Override
                    public void run() {
                        park();
                    }
                })).start();
            }
            Thread[] interrupting = new Thread[INTERRUPTING];
            for (int i = 0; i < INTERRUPTING; i++) {
                interrupting[i] = stage.cast("interrupting" + (i + 1), new Runnable() {
                    @Override
                    public void run() {
                        mark();
                        gone.incrementAndGet();
                    }
                });
                interrupting[i].start();
            }
            for (int i = 0; i < ROUNDS; i++) {
                letMark();
                Probe.checkpoint("round");
                Probe.checkpoint("next");
            }
            Probe.checkpoint("resumed");
            over = true;
            for (Thread thread : interrupting) {
                thread.join();
            }
            ended = true;
        }
        Probe.fact("gone", gone.get());
    }

    private void park() {
        while (!ended) {
            Thread.interrupted();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private void mark() {
        int of = 0;
        int times = 0;
        while (!over) {
            if (of != round) {
                of = round;
                times = 0;
            }
            if (times < MOST) {
                times++;
                marks.incrementAndGet();
                Probe.checkpoint("interrupt");
            } else {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
        }
    }

    /** Waits until both threads are at it again, but not for long. */
    private void letMark() {
        final int before = marks.get();
        round++;
        Probe.await(PATIENCE, new Probe.Condition() {
            @Override
            public boolean holds() {
                return marks.get() - before >= 8;
            }
        });
    }
}
