package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that has been notified, and that an agent may make wait to enter another monitor on its way out of Object.wait. */
public class BlockedWithin extends OnPlatformThreads implements Scenario {
    /** How long an agent may take to make the thread wait. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

    private static final Object OUTER = new Object();
    private static final Object INNER = new Object();

    @Override
    public final void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("outer", OUTER);
        Probe.bind("inner", INNER);
        Probe.bind("class", BlockedWithin.class);
        try (Stage stage = new Stage()) {
            final Thread waiter = stage.keep(create("waiter", new Runnable() {
                @Override
                public void run() {
                    waitOnce();
                }
            }));
            stage.start(waiter, State.WAITING, "wait");
            synchronized (INNER) {
                synchronized (OUTER) {
                    OUTER.notifyAll();
                }
                final boolean[] blocked = new boolean[1];
                Probe.await(PATIENCE, new Probe.Condition() {
                    @Override
                    public boolean holds() {
                        blocked[0] = waiter.getState() == State.BLOCKED && isIn(waiter.getStackTrace(), "enterInner");
                        return blocked[0] || waiter.getState() == State.TERMINATED;
                    }
                });
                Probe.fact("blocked", blocked[0] ? 1 : 0);
                Probe.checkpoint("within");
            }
            Probe.await(waiter, State.TERMINATED);
        }
        Probe.checkpoint("after");
    }

    private static boolean isIn(StackTraceElement[] stack, String method) {
        return stack.length > 0 && stack[0].getMethodName().equals(method);
    }

    private static void waitOnce() {
        synchronized (OUTER) {
            try {
                OUTER.wait();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** For agents to call: enters the inner monitor, which the main thread owns. */
    static void enterInner() {
        synchronized (INNER) {
            INNER.notifyAll();
        }
    }
}
