package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The hot method of CodeConstant on a virtual thread, which parks in the call. JDK 21 and newer. */
public final class VirtualCodeConstant implements Scenario {
    private static volatile Object result;

    @Override
    public void run() throws Exception {
        CodeConstant.warmUp();
        Probe.checkpoint("before");
        try (Stage stage = new Stage()) {
            stage.start(stage.keep(Virtual.thread("parked", calling(stage.bodies.park(false)))), State.WAITING, "park");
            Probe.checkpoint("inside");
        }
        Probe.fact("returned", result == null ? 0 : 1);
        Probe.checkpoint("after");
    }

    private static Runnable calling(final Runnable body) {
        return new Runnable() {
            @Override
            public void run() {
                result = CodeConstant.hot(new OpaqueCall() {
                    @Override
                    public void make() {
                        body.run();
                    }
                });
            }
        };
    }
}
