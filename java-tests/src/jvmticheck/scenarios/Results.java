package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * One thread at a time spins in Java code in a method with a result, at a checkpoint named after the type, so that an
 * agent can pop its frame or force a result. Afterwards the scenario states what the method returned.
 */
public final class Results implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("class", Result.class);
        Probe.bind("monitor", Result.MONITOR);
        Probe.bind("result", Result.FORCED);
        for (String type : Result.TYPES) {
            try (Stage stage = new Stage()) {
                Result result = new Result(type, stage.bodies);
                if (type.equals("synchronized")) {
                    Probe.bind("locked", result);
                }
                stage.start(stage.cast(type, result), State.RUNNABLE, "spin");
                // The stack may show the frame before its code has run.
                Probe.await(type + " to spin", result);
                Probe.checkpoint(type);
            }
        }
        Probe.checkpoint("after");
    }
}
