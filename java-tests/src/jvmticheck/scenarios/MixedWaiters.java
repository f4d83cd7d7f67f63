package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Monitors that platform and virtual threads wait for in turns, both to enter and to be notified. JDK 21 and newer. */
public final class MixedWaiters implements Scenario {
    @Override
    public void run() throws Exception {
        Object lock = new Object();
        Object monitor = new Object();
        Probe.bind("lock", lock);
        Probe.bind("monitor", monitor);
        Probe.bind("main", Thread.currentThread());
        try (Stage stage = new Stage()) {
            Bodies bodies = stage.bodies;
            stage.start(stage.keep(Virtual.thread("virtual_waiting", bodies.await(monitor, false))), State.WAITING, "wait");
            stage.start(stage.cast("waiting", bodies.await(monitor, false)), State.WAITING, "wait");
            stage.startTimed(stage.keep(Virtual.thread("virtual_timed_waiting", bodies.await(monitor, true))), "wait");
            stage.startTimed(stage.cast("timed_waiting", bodies.await(monitor, true)), "wait");
            synchronized (lock) {
                stage.startBlocked(stage.keep(Virtual.thread("virtual_blocked", Bodies.enter(lock))));
                stage.startBlocked(stage.cast("blocked", Bodies.enter(lock)));
                stage.startBlocked(stage.keep(Virtual.thread("virtual_blocked_too", Bodies.enter(lock))));
                stage.startBlocked(stage.cast("blocked_too", Bodies.enter(lock)));
                Probe.checkpoint("mixed");
            }
        }
    }
}
