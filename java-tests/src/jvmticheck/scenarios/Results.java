package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * One thread at a time spins in Java code in a method with a result, marked by a checkpoint named after the type, for
 * popping frames and forcing results. What came of it is stated after.
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
