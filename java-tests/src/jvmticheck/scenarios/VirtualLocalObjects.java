package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Two virtual threads that execute the hot method of LocalObjects: one parks in the call, the other one spins. JDK 21 and newer. */
public final class VirtualLocalObjects implements Scenario {
    @Override
    public void run() throws Exception {
        LocalObjects.bindClasses();
        Probe.fact("sum", LocalObjects.warmUp() == 0 ? 0 : 1);
        try (Stage stage = new Stage()) {
            Probe.checkpoint("before");
            stage.start(stage.keep(Virtual.thread("parked", calling(stage.bodies.park(false)))), State.WAITING, "park");
            Probe.checkpoint("unmounted");
        }
        try (Stage stage = new Stage()) {
            stage.startSpinning(stage.keep(Virtual.thread("spinning", calling(stage.bodies.spin()))));
            Probe.checkpoint("mounted");
        }
        Probe.checkpoint("after");
    }

    private static Runnable calling(final Runnable body) {
        return new Runnable() {
            @Override
            public void run() {
                LocalObjects.hot(new OpaqueCall() {
                    @Override
                    public void make() {
                        body.run();
                    }
                }, 1);
            }
        };
    }
}
