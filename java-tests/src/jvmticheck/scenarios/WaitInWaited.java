package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that is notified on a monitor, and an agent that may keep it while it regains the monitor, which others use meanwhile. */
public class WaitInWaited extends OnPlatformThreads implements Scenario {
    /** How long an agent may take to keep the thread. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

    /** How often the monitor is used. */
    private static final int VISITS = 200;

    private static volatile boolean kept;
    private static volatile boolean released;
    private static int visits;

    @Override
    public final void run() throws Exception {
        kept = false;
        released = false;
        final Object monitor = new Object();
        Probe.bind("monitor", monitor);
        Probe.bind("class", WaitInWaited.class);
        try (Stage stage = new Stage()) {
            final Thread waiter = stage.keep(create("waiter", waitOnce(monitor)));
            final Thread visitor = Stage.daemon("visitor", visit(monitor));
            waiter.start();
            Probe.await(waiter, State.WAITING, "wait");
            synchronized (monitor) {
                monitor.notifyAll();
            }
            Probe.await(PATIENCE, new Probe.Condition() {
                @Override
                public boolean holds() {
                    return kept || waiter.getState() == State.TERMINATED;
                }
            });
            visitor.start();
            // A JVM may send the event when the thread has regained the monitor.
            final int[] looks = new int[1];
            Probe.await("the visits", new Probe.Condition() {
                @Override
                public boolean holds() {
                    looks[0] = visitor.getState() == State.BLOCKED ? looks[0] + 1 : 0;
                    return visitor.getState() == State.TERMINATED || looks[0] > VISITS;
                }
            });
            Probe.fact("waiter.kept", kept ? 1 : 0);
            Probe.fact("waiter.back-before-release", kept && released ? 1 : 0);
            while (waiter.getState() != State.TERMINATED) {
                Probe.checkpoint("release");
                Thread.yield();
            }
            Probe.await(visitor, State.TERMINATED);
        }
        Probe.checkpoint("after");
    }

    private static Runnable visit(final Object monitor) {
        return new Runnable() {
            @Override
            public void run() {
                for (int i = 0; i < VISITS; i++) {
                    synchronized (monitor) {
                        visits++;
                    }
                    Thread.yield();
                }
            }
        };
    }

    private static Runnable waitOnce(final Object monitor) {
        return new Runnable() {
            @Override
            public void run() {
                synchronized (monitor) {
                    try {
                        monitor.wait();
                    } catch (InterruptedException ended) {
                        return;
                    }
                }
            }
        };
    }

    /** For agents to call: says that the agent keeps the thread from now on. */
    static void keep() {
        kept = true;
    }

    /** For agents to call: says that the agent keeps the thread no longer. */
    static void release() {
        released = true;
    }
}
