package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class whose methods are called each time that the main thread has reached the checkpoint `redefine`. Meanwhile another thread reaches
 * the checkpoint `turn` over and over.
 */
public final class RedefinedMeanwhile implements Scenario {
    private static final int ROUNDS = 200;

    @Override
    public void run() throws Exception {
        Probe.bind("class", Body.class);
        int sum = Body.work();
        try (Turning turning = new Turning(Integer.MAX_VALUE).start()) {
            for (int i = 1; i < ROUNDS; i++) {
                Probe.checkpoint("redefine");
                sum += Body.work();
            }
        }
        Probe.checkpoint("after");
        Probe.fact("sum", sum);
    }

    /** The class that an agent redefines. */
    static final class Body {
        static int field = 2;

        private Body() {
        }

        static int work() {
            return one() + field;
        }

        static int one() {
            return 1;
        }
    }
}
