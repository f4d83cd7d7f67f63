package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that parks in what the method `attempt` calls, after `attempt` has been called often. When the thread goes on, it
 * throws an exception to `attempt`, which catches it and calls `Handler.handled`. A compiler may have made one method of these
 * two, and what an agent has done meanwhile may concern it.
 */
public class HotHandlers extends OnPlatformThreads implements Scenario {
    private static final int OFTEN = 20000;
    private static final int ATTEMPTS = 20;
    /** Different classes, so that no compiler replaces the call of their method by its code. */
    private static final Task[] REFUSING = {new Refusing(), new RefusingToo(), new RefusingAsWell()};

    @Override
    public void run() throws Exception {
        Probe.bind("handler", Handler.class);
        Probe.bind("original", new EditedClass(Handler.class).bytes());
        Probe.checkpoint("before");
        warm();
        try (Stage stage = new Stage()) {
            Attempt attempt = new Attempt();
            Thread thread = stage.start(stage.keep(create("pausing", attempt)), State.WAITING, "park");
            Probe.checkpoint("paused");
            attempt.task.over = true;
            LockSupport.unpark(thread);
            Probe.await(thread, State.TERMINATED);
            Probe.fact("told", attempt.told);
        }
        Probe.checkpoint("after");
    }

    private static void warm() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            for (int i = 0; i < OFTEN; i++) {
                attempt(REFUSING[i % REFUSING.length]);
            }
            if (Proof.IS_INTERPRETED || Probe.isCompiled(HotHandlers.class, "attempt")) {
                break;
            }
        }
        Probe.fact("compiled", Probe.isCompiled(HotHandlers.class, "attempt") ? 1 : 0);
    }

    /** Does what the task is. Returns what the handler says of its refusal. */
    static String attempt(Task task) {
        try {
            task.run();
            return "done";
        } catch (Refusal refusal) {
            return Handler.handled();
        }
    }

    /** What can be refused. */
    private abstract static class Task {
        abstract void run() throws Refusal;
    }

    /** Refuses at once. */
    private static final class Refusing extends Task {
        @Override
        void run() throws Refusal {
            throw Refusal.ONE;
        }
    }

    /** Refuses at once. */
    private static final class RefusingToo extends Task {
        @Override
        void run() throws Refusal {
            throw Refusal.ONE;
        }
    }

    /** Refuses at once. */
    private static final class RefusingAsWell extends Task {
        @Override
        void run() throws Refusal {
            throw Refusal.ONE;
        }
    }

    /** Parks until it is over, and then refuses. */
    private static final class Pausing extends Task {
        volatile boolean over;

        @Override
        void run() throws Refusal {
            while (!over) {
                LockSupport.park(this);
            }
            throw Refusal.ONE;
        }
    }

    /** What a thread does, and what came of it. */
    private static final class Attempt implements Runnable {
        final Pausing task = new Pausing();
        volatile String told = "nothing";

        @Override
        public void run() {
            told = attempt(task);
        }
    }

    /** A refusal without a stack trace, which would take time. */
    private static final class Refusal extends Exception {
        static final Refusal ONE = new Refusal();
        private static final long serialVersionUID = 1;

        Refusal() {
            super("refused", null, false, false);
        }
    }

    /** The class of the method that handles refusals. */
    public static final class Handler {
        static int handled;

        private Handler() {
        }

        static String handled() {
            handled++;
            return "original";
        }
    }
}
