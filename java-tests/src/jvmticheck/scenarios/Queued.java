package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Virtual threads that could run and have no carrier, because another one spins on the only one there is: one that has just been
 * started, one that has yielded, and one that was parked and is no longer. JDK 21 and newer, with a single carrier.
 */
public final class Queued implements Scenario {
    private volatile boolean over;

    @Override
    public void run() throws Exception {
        try (final Stage stage = new Stage()) {
            Thread started = stage.keep(Virtual.thread("started", new Runnable() {
                @Override
                public void run() {
                    stage.bodies.spinUntilOver();
                }
            }));
            final Thread spinner = stage.keep(Virtual.thread("spinner", stage.bodies.spin()));
            Thread yielded = stage.keep(Virtual.thread("yielded", new Runnable() {
                @Override
                public void run() {
                    // Nobody else can start it so that it is next in line.
                    spinner.start();
                    yieldUntilOver();
                }
            }));
            Thread unparked = stage.keep(Virtual.thread("unparked", new Runnable() {
                @Override
                public void run() {
                    parkOnce();
                    stage.bodies.spinUntilOver();
                }
            }));
            stage.start(unparked, State.WAITING, "park");
            yielded.start();
            Probe.awaitStackTop(spinner, "spinUntilOver");
            started.start();
            LockSupport.unpark(unparked);
            // At once, unless a thread of the system runs the virtual one and has to wake up first.
            Probe.await(unparked, State.RUNNABLE);
            Probe.checkpoint("queued");
            over = true;
        }
        Probe.checkpoint("after");
    }

    private void yieldUntilOver() {
        while (!over) {
            Thread.yield();
        }
    }

    private void parkOnce() {
        LockSupport.park(this);
    }
}
