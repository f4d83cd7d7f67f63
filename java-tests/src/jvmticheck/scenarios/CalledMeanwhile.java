package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that calls a method many times, while the main thread marks `meanwhile` again and again. */
public final class CalledMeanwhile implements Scenario {
    private static final int CALLS = 30000;

    private static int sum;

    @Override
    public void run() {
        sum = 0;
        Probe.bind("class", CalledMeanwhile.class);
        try (Stage stage = new Stage()) {
            Thread caller = stage.cast("caller", new Runnable() {
                @Override
                public void run() {
                    for (int i = 0; i < CALLS; i++) {
                        called(i);
                    }
                }
            });
            Probe.checkpoint("before");
            caller.start();
            while (caller.getState() != State.TERMINATED) {
                Probe.checkpoint("meanwhile");
            }
        }
        Probe.fact("calls", CALLS);
        Probe.checkpoint("after");
    }

    private static void called(int number) {
        sum += number;
    }
}
