package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A virtual thread that has been unmounted, and reaches a checkpoint once it is mounted again, above frames to which it has not returned since. JDK 21 and newer. */
public final class Remounted implements Scenario {
    private static final int FRAMES = 20;

    private volatile boolean goesOn;
    private Object used;

    @Override
    public void run() throws Exception {
        final Object held = new Object();
        Thread remounted = Virtual.thread("remounted", new Runnable() {
            @Override
            public void run() {
                hold(held);
            }
        });
        Probe.bind("held", held);
        Probe.bind("remounted", remounted);
        // Below the checkpoint and a call of `descend` more than there are frames.
        Probe.fact("hold.depth", FRAMES + 2);
        remounted.start();
        Probe.await(remounted, State.WAITING);
        goesOn = true;
        LockSupport.unpark(remounted);
        remounted.join();
    }

    /** Has the object in slot 1. */
    void hold(Object object) {
        descend(FRAMES);
        used = object;
    }

    private int descend(int frames) {
        if (frames > 0) {
            return 1 + descend(frames - 1);
        }
        while (!goesOn) {
            LockSupport.park(this);
        }
        Probe.checkpoint("remounted");
        return 0;
    }
}
