package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A platform thread in each state that Java code can put it in, all at the checkpoint `states`. */
public final class ThreadStates implements Scenario {
    @Override
    public void run() throws Exception {
        Object lock = new Object();
        Object monitor = new Object();
        Object renotified = new Object();
        Probe.bind("lock", lock);
        Probe.bind("monitor", monitor);
        try (Stage stage = new Stage()) {
            Bodies bodies = stage.bodies;
            stage.cast("new_thread", bodies.spin());
            stage.startAndEnd(stage.cast("terminated", Bodies.enter(lock)));
            stage.start(stage.cast("sleeper", bodies.sleep()), State.TIMED_WAITING, "sleep");
            stage.start(stage.cast("waiter", bodies.await(monitor, false)), State.WAITING, "wait");
            stage.start(stage.cast("timed_waiter", bodies.await(monitor, true)), State.TIMED_WAITING, "wait");
            stage.start(stage.cast("parked", bodies.park(false)), State.WAITING, "park");
            stage.start(stage.cast("timed_parked", bodies.park(true)), State.TIMED_WAITING, "park");
            stage.startReading("in_native");
            Thread afterWait = stage.cast("blocked_after_wait", bodies.awaitNotified(renotified));
            stage.start(afterWait, State.WAITING, "wait");
            synchronized (renotified) {
                renotified.notifyAll();
                Probe.await(afterWait, State.BLOCKED, "wait");
                synchronized (lock) {
                    stage.startBlocked(stage.cast("blocked", Bodies.enter(lock)));
                    stage.startBlocked(stage.cast("blocked_interrupted", Bodies.enter(lock))).interrupt();
                    // Threads that take processor time come last, so that the others have reached their states first.
                    stage.startSpinning(stage.cast("runner", bodies.spin()));
                    stage.startSpinning(stage.cast("interrupted", bodies.spin())).interrupt();
                    stage.stateJavaStates();
                    Probe.checkpoint("states");
                }
            }
        }
    }
}
