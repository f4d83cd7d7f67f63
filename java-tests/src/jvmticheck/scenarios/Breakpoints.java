package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods that are called a known number of times between the checkpoints `before` and `after`, for breakpoints and steps. */
public final class Breakpoints implements Scenario {
    static final int CALLS = 3;

    @Override
    public void run() throws Exception {
        Probe.bind("class", Breakpoints.class);
        Probe.bind("main", Thread.currentThread());
        Probe.fact("target.calls-on-main", CALLS);
        Probe.fact("target.calls-on-other", 1);
        Probe.fact("loop.rounds", CALLS);
        try (Stage stage = new Stage()) {
            Thread other = stage.cast("other", new Runnable() {
                @Override
                public void run() {
                    target(100);
                }
            });
            Probe.checkpoint("before");
            int sum = 0;
            for (int i = 0; i < CALLS; i++) {
                sum += target(i);
            }
            sum += loop(CALLS) + instance(sum);
            stage.startAndEnd(other);
            Probe.checkpoint("after");
            Probe.fact("sum", sum);
        }
    }

    static int target(int argument) {
        int doubled = argument * 2;
        return doubled + 1;
    }

    static int loop(int rounds) {
        int count = 0;
        for (int i = 0; i < rounds; i++) {
            count++;
        }
        return count;
    }

    int instance(int argument) {
        return argument;
    }
}
