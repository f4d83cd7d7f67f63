package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A virtual thread in each state that Java code can put it in, all at the checkpoint `states`. JDK 21 and newer. */
public final class VirtualThreads implements Scenario {
    @Override
    public void run() throws Exception {
        Object lock = new Object();
        Object monitor = new Object();
        Probe.bind("lock", lock);
        Probe.bind("monitor", monitor);
        try (Stage stage = new Stage()) {
            Bodies bodies = stage.bodies;
            cast(stage, "new_thread", bodies.spin());
            stage.startAndEnd(cast(stage, "terminated", Bodies.enter(lock)));
            stage.start(cast(stage, "parked", bodies.park(false)), State.WAITING, "park");
            stage.startTimed(cast(stage, "timed_parked", bodies.park(true)), "park");
            stage.startTimed(cast(stage, "sleeper", bodies.sleep()), "sleep");
            stage.start(cast(stage, "waiter", bodies.await(monitor, false)), State.WAITING, "wait");
            stage.startTimed(cast(stage, "timed_waiter", bodies.await(monitor, true)), "wait");
            synchronized (lock) {
                stage.startBlocked(cast(stage, "blocked", Bodies.enter(lock)));
                stage.startSpinning(cast(stage, "runner", bodies.spin()));
                stage.stateJavaStates();
                Probe.checkpoint("states");
            }
        }
    }

    private static Thread cast(Stage stage, String name, Runnable body) throws ReflectiveOperationException {
        return stage.keep(Virtual.thread(name, body));
    }
}
