package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The frames of `VariableHolder` on a virtual thread. JDK 21 and newer. */
public final class VirtualVariables implements Scenario {
    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            VariableHolder holder = new VariableHolder(stage.bodies);
            Probe.bind("holder", holder);
            Thread virtual = stage.keep(Virtual.thread("virtual", holder));
            Probe.checkpoint("before");
            stage.start(virtual, State.RUNNABLE, "spin");
            Probe.await("the thread to spin", holder);
            Probe.checkpoint("spinning");
        }
        Probe.checkpoint("after");
    }
}
