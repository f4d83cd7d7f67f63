package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that has waited before it throws an exception, which a method far below catches. */
public class ThrownLater extends OnPlatformThreads implements Scenario {
    private static volatile boolean parked;
    private static volatile boolean awake;

    @Override
    public final void run() throws Exception {
        final IllegalStateException thrown = new IllegalStateException("thrown later");
        Probe.bind("thrown", thrown);
        parked = false;
        awake = false;
        try (Stage stage = new Stage()) {
            Thread parking = stage.keep(create("parking", new Runnable() {
                @Override
                public void run() {
                    catching(thrown);
                }
            }));
            Thread waiting = stage.keep(create("waiting", new Runnable() {
                @Override
                public void run() {
                    catchingInterrupt();
                }
            }));
            stage.start(parking, State.WAITING, "park");
            stage.start(waiting, State.WAITING, "wait");
            Probe.checkpoint("paused");
            awake = true;
            LockSupport.unpark(parking);
            waiting.interrupt();
            Probe.await(parking, State.TERMINATED);
            Probe.await(waiting, State.TERMINATED);
        }
        Probe.checkpoint("after");
    }

    private static void catching(RuntimeException thrown) {
        try {
            through(5, thrown);
        } catch (IllegalStateException caught) {
            parked = caught == thrown;
        }
    }

    /** Calls itself that often; the last call waits and throws. */
    private static void through(int more, RuntimeException thrown) {
        if (more > 0) {
            through(more - 1, thrown);
        } else {
            pause();
            throw thrown;
        }
    }

    private static void pause() {
        while (!awake) {
            LockSupport.park();
        }
    }

    private static void catchingInterrupt() {
        try {
            waitBelow(5);
        } catch (InterruptedException caught) {
            parked = true;
        }
    }

    private static void waitBelow(int more) throws InterruptedException {
        if (more > 0) {
            waitBelow(more - 1);
        } else {
            Object own = new Object();
            synchronized (own) {
                while (!Thread.currentThread().isInterrupted()) {
                    own.wait();
                }
            }
            throw new InterruptedException("before it waited again");
        }
    }
}
