package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A monitor that a thread has entered five times before it waits on another one, while others wait for it in both ways. */
public final class CrowdedMonitor implements Scenario {
    private static final int ENTRIES = 5;

    private final Object crowded = new Object();
    private final Object other = new Object();

    @Override
    public void run() throws Exception {
        Probe.bind("crowded", crowded);
        Probe.bind("other", other);
        try (Stage stage = new Stage()) {
            final Runnable rest = stage.bodies.await(other, false);
            stage.start(stage.cast("waiting", stage.bodies.await(crowded, false)), State.WAITING, "wait");
            stage.start(stage.cast("waiting_too", stage.bodies.await(crowded, true)), State.TIMED_WAITING, "wait");
            stage.start(stage.cast("owner", new Runnable() {
                @Override
                public void run() {
                    enter(ENTRIES, rest);
                }
            }), State.WAITING, "wait");
            stage.startBlocked(stage.cast("contender", Bodies.enter(crowded)));
            stage.startBlocked(stage.cast("contender_too", Bodies.enter(crowded)));
            Probe.checkpoint("crowded");
        }
    }

    void enter(int times, Runnable then) {
        if (times == 0) {
            then.run();
            return;
        }
        synchronized (crowded) {
            enter(times - 1, then);
        }
    }
}
