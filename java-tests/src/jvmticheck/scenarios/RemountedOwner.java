package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A virtual thread that owns two monitors and has parked since, which may have unmounted it, and reaches a checkpoint above the frames in which it has
 * entered them. JDK 21 and newer.
 */
public final class RemountedOwner implements Scenario {
    private static final int FRAMES = 20;
    private static final Object OUTER = new Object();
    private static final Object INNER = new Object();

    private volatile boolean goesOn;
    private int left;

    @Override
    public void run() throws Exception {
        Thread owner = Virtual.thread("owner", new Runnable() {
            @Override
            public void run() {
                hold();
            }
        });
        Probe.bind("owner", owner);
        Probe.bind("outer", OUTER);
        Probe.bind("inner", INNER);
        owner.start();
        Probe.await(owner, State.WAITING);
        goesOn = true;
        LockSupport.unpark(owner);
        owner.join();
    }

    void hold() {
        synchronized (OUTER) {
            synchronized (INNER) {
                synchronized (OUTER) {
                    left = descend(FRAMES);
                }
            }
        }
    }

    private int descend(int above) {
        if (above > 0) {
            return 1 + descend(above - 1);
        }
        while (!goesOn) {
            LockSupport.park(this);
        }
        Probe.checkpoint("remounted");
        return 0;
    }
}
