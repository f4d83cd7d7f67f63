package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Virtual threads whose Object.wait ends, of one by notification and of the others by timeout, while the main thread holds
 * the monitor. JDK 21 and newer.
 */
public final class VirtualReentry implements Scenario {
    /** How often each of them waits. */
    private static final int ROUNDS = 3;

    /** Milliseconds after which they stop waiting; 0 for never. */
    private static final long[] TIMEOUTS = {0, 20, 20};

    @Override
    public void run() throws Exception {
        final Object monitor = new Object();
        Probe.bind("monitor", monitor);
        Probe.checkpoint("before");
        List<Thread> threads = new ArrayList<Thread>();
        for (int i = 0; i < TIMEOUTS.length; i++) {
            Thread thread = Virtual.thread("reentering" + i, waiting(monitor, TIMEOUTS[i]));
            Probe.bind(thread.getName(), thread);
            threads.add(thread);
        }
        for (Thread thread : threads) {
            thread.start();
        }
        Thread notified = threads.get(0);
        for (int round = 0; round < ROUNDS; round++) {
            Probe.await(notified, Thread.State.WAITING);
            synchronized (monitor) {
                for (Thread thread : threads.subList(1, threads.size())) {
                    // On a slow machine the timeouts may have expired before the main thread had the monitor.
                    Probe.await(thread, Thread.State.BLOCKED, Thread.State.TERMINATED);
                }
                monitor.notify();
                Probe.await(notified, Thread.State.BLOCKED);
            }
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Probe.checkpoint("after");
    }

    private static Runnable waiting(final Object monitor, final long timeout) {
        return new Runnable() {
            @Override
            public void run() {
                synchronized (monitor) {
                    try {
                        for (int round = 0; round < ROUNDS; round++) {
                            monitor.wait(timeout);
                        }
                    } catch (InterruptedException ended) {
                        Thread.currentThread().interrupt();
                    }
                }
            }
        };
    }
}
