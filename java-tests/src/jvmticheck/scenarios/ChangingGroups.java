package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread group whose threads, groups and maximum priority change between two checkpoints. */
public final class ChangingGroups implements Scenario {
    private static final int PRIORITY = 7;

    @Override
    public void run() throws Exception {
        ThreadGroup parent = new ThreadGroup("parent");
        ThreadGroup first = new ThreadGroup(parent, "first");
        Probe.bind("parent", parent);
        Probe.bind("first", first);
        try (Stage stage = new Stage()) {
            Thread staying = stage.keep(thread(parent, "staying", stage));
            Thread leaving = stage.keep(thread(parent, "leaving", stage));
            Thread coming = stage.keep(thread(parent, "coming", stage));
            Thread below = stage.keep(thread(first, "below", stage));
            stage.start(staying, State.WAITING, "park");
            stage.start(leaving, State.WAITING, "park");
            Probe.fact("before.max-priority", parent.getMaxPriority());
            Probe.checkpoint("before");
            stage.start(coming, State.WAITING, "park");
            stage.start(below, State.WAITING, "park");
            end(leaving);
            ThreadGroup second = new ThreadGroup(parent, "second");
            Probe.bind("second", second);
            parent.setMaxPriority(PRIORITY);
            Probe.fact("after.max-priority", parent.getMaxPriority());
            Probe.checkpoint("after");
        }
    }

    private static void end(Thread thread) throws InterruptedException {
        ((Leaving) thread).gone = true;
        thread.interrupt();
        thread.join();
    }

    private static Thread thread(ThreadGroup group, String name, Stage stage) {
        Thread thread = name.equals("leaving") ? new Leaving(group, name) : new Thread(group, stage.bodies.park(false), name);
        thread.setDaemon(true);
        return thread;
    }

    /** A thread that is parked until it is let go, or interrupted. */
    private static final class Leaving extends Thread {
        volatile boolean gone;

        Leaving(ThreadGroup group, String name) {
            super(group, name);
        }

        @Override
        public void run() {
            while (!gone && !isInterrupted()) {
                java.util.concurrent.locks.LockSupport.park(this);
            }
        }
    }
}
