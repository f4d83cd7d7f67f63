package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that has to wait for a monitor, and another thread that owns what an agent may make the first one wait for on its way
 * there.
 */
public class BlockedAgain extends OnPlatformThreads implements Scenario {
    /** How long the owner of the inner monitor waits for a thread that may never come. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);

    /** How many stack traces the main thread takes of the thread before it believes that the thread rests. */
    private static final int LOOKS = 200;

    private static final Object OUTER = new Object();
    private static final Object INNER = new Object();
    private static volatile boolean held;
    private static volatile boolean contending;
    private static volatile boolean released;
    private static volatile int done;

    @Override
    public final void run() throws Exception {
        held = false;
        contending = false;
        released = false;
        done = 0;
        Probe.bind("main", Thread.currentThread());
        Probe.bind("outer", OUTER);
        Probe.bind("inner", INNER);
        Probe.bind("class", BlockedAgain.class);
        try (Stage stage = new Stage()) {
            block(stage.keep(create("blocked", Bodies.enter(OUTER))));
        }
        Probe.fact("done", done);
        Probe.checkpoint("after");
    }

    private static void block(Thread blocked) {
        Thread holder = Stage.daemon("holder", hold(blocked));
        Probe.bind("holder", holder);
        holder.start();
        awaitHeld();
        synchronized (OUTER) {
            blocked.start();
            if (Probe.isUsed("releasing")) {
                // What the thread waits for in a raw monitor, its stack does not show.
                awaitReleased();
            }
            rest(blocked, "enterAndLeave");
            Probe.checkpoint("contended");
        }
        Probe.await(blocked, State.TERMINATED);
        contending = true;
        Probe.await(holder, State.TERMINATED);
    }

    /** Waits until the thread is blocked, and no longer in what an agent has called. */
    private static void rest(final Thread thread, final String method) {
        final int[] looks = new int[1];
        Probe.await(thread.getName() + " to be blocked", new Probe.Condition() {
            @Override
            public boolean holds() {
                StackTraceElement[] stack = thread.getStackTrace();
                boolean rests = thread.getState() == State.BLOCKED && stack.length > 0 && stack[0].getMethodName().equals(method);
                looks[0] = rests ? looks[0] + 1 : 0;
                return looks[0] > LOOKS;
            }
        });
    }

    private static void awaitHeld() {
        Probe.await("the inner monitor to be held", new Probe.Condition() {
            @Override
            public boolean holds() {
                return held;
            }
        });
    }

    private static void awaitReleased() {
        Probe.await("the holder to have released what it held", new Probe.Condition() {
            @Override
            public boolean holds() {
                return released;
            }
        });
    }

    /** Holds the inner monitor until the thread has to wait for it, or for what an agent has entered in `holding`. */
    private static Runnable hold(final Thread blocked) {
        return new Runnable() {
            @Override
            public void run() {
                synchronized (INNER) {
                    Probe.checkpoint("holding");
                    held = true;
                    Probe.await(PATIENCE, new Probe.Condition() {
                        @Override
                        public boolean holds() {
                            return contending;
                        }
                    });
                    for (int i = 0; i < LOOKS; i++) {
                        blocked.getStackTrace();
                    }
                    Probe.checkpoint("releasing");
                    released = true;
                }
            }
        };
    }

    /** For agents to call: waits for the monitor that `holder` owns. */
    static void enterInner() {
        synchronized (INNER) {
            done++;
        }
    }

    /** For agents to call: tells that a thread has to wait for what `holder` owns. */
    static void contend() {
        contending = true;
    }
}
