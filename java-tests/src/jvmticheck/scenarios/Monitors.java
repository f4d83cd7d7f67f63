package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Monitors entered once, twice and by synchronized methods, and a free one, with threads that wait to enter or be notified. */
public final class Monitors implements Scenario {
    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            MonitorOwner owner = new MonitorOwner(stage.bodies);
            Probe.bind("m1", owner.once);
            Probe.bind("m2", owner.twice);
            Probe.bind("m3", owner.notified);
            Probe.bind("m4", owner);
            Probe.bind("free", new Object());
            stage.start(stage.cast("waiting", stage.bodies.await(owner.twice, false)), State.WAITING, "wait");
            stage.start(stage.cast("waiting_too", stage.bodies.await(owner.twice, true)), State.TIMED_WAITING, "wait");
            Thread notified = stage.cast("notified", stage.bodies.awaitNotified(owner.notified));
            stage.start(notified, State.WAITING, "wait");
            Thread owning = stage.start(stage.cast("owner", owner), State.WAITING, "park");
            Probe.await(notified, State.BLOCKED, "wait");
            stage.startBlocked(stage.cast("contender", Bodies.enter(owner.once)));
            stage.startBlocked(stage.cast("contender_too", Bodies.enter(owner.once)));
            stage.start(stage.cast("owner_of_none", stage.bodies.park(false)), State.WAITING, "park");
            state(owning);
            Probe.checkpoint("held");
        }
        Probe.checkpoint("after");
    }

    private static void state(Thread owning) {
        Probe.fact("m1.owner", "owner");
        Probe.fact("m1.entries", 1);
        Probe.fact("m1.entering", 2);
        Probe.fact("m1.waiting", 0);
        Probe.fact("m2.owner", "owner");
        Probe.fact("m2.entries", 2);
        Probe.fact("m2.entering", 0);
        Probe.fact("m2.waiting", 2);
        Probe.fact("m3.owner", "owner");
        Probe.fact("m3.entries", 1);
        Probe.fact("m3.entering", 1);
        Probe.fact("m3.waiting", 0);
        Probe.fact("m4.owner", "owner");
        Probe.fact("m4.entries", 1);
        Stage.stateFrames(owning, "holdOnce", "holdTwice", "holdAgain", "holdNotified", "holdSelf");
    }
}
