package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Virtual threads that have been unmounted and are mounted again, above frames to which they have not returned since: of methods that have not been
 * called before, and of methods that have been called often. JDK 21 and newer.
 */
public final class RemountedFrames implements Scenario {
    /** Frames of `descend` above its first one. */
    private static final int FRAMES = 20;
    private static final int MANY = 20_000;

    private static volatile boolean goesOn;
    private static volatile boolean over;
    private static volatile int entries;
    private static int turns;
    private static int caught;

    @Override
    public void run() throws Exception {
        Probe.bind("class", RemountedFrames.class);
        Probe.bind("sent", new IllegalStateException("sent"));
        remount("cold");
        if (Probe.isUsed("hot")) {
            goesOn = true;
            over = true;
            for (int call = 0; call < MANY; call++) {
                descend(FRAMES);
            }
            remount("hot");
        }
    }

    private void remount(String name) throws Exception {
        goesOn = false;
        over = false;
        entries = 0;
        caught = 0;
        final int[] result = new int[1];
        Thread thread = Virtual.thread(name, new Runnable() {
            @Override
            public void run() {
                result[0] = hold();
            }
        });
        Probe.bind(name + "_thread", thread);
        thread.start();
        Probe.await(thread, State.WAITING);
        int before = turns;
        goesOn = true;
        LockSupport.unpark(thread);
        awaitTurns(before);
        Probe.checkpoint(name);
        // The thread has noticed what the agent has asked for.
        awaitTurns(turns);
        over = true;
        thread.join();
        Probe.fact(name + ".result", result[0]);
        Probe.fact(name + ".entries", entries);
        Probe.fact(name + ".caught", caught);
        Probe.checkpoint(name + "_after");
    }

    private static void awaitTurns(final int before) {
        Probe.await("the virtual thread", new Probe.Condition() {
            @Override
            public boolean holds() {
                return turns > before + 1 || caught > 0;
            }
        });
    }

    private int hold() {
        try {
            return descend(FRAMES);
        } catch (IllegalStateException expected) {
            caught++;
            return -1;
        }
    }

    /** Has the number of frames of `descend` above this one in slot 1. */
    private int descend(int above) {
        if (above > 0) {
            return 1 + descend(above - 1);
        }
        entries++;
        while (!goesOn) {
            LockSupport.park(this);
        }
        while (!over) {
            turn();
        }
        return 0;
    }

    private static int turn() {
        turns++;
        return 0;
    }
}
