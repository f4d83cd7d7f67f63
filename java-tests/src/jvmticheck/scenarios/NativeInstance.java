package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread in Object.wait, whose top frame is a native instance method where the class library has it so. */
public final class NativeInstance implements Scenario {
    @Override
    public void run() throws Exception {
        Object monitor = new Object();
        Probe.bind("monitor", monitor);
        try (Stage stage = new Stage()) {
            stage.start(stage.cast("waiter", stage.bodies.await(monitor, false)), State.WAITING, "wait");
            Probe.checkpoint("waiting");
        }
    }
}
