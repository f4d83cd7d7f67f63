package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that spins in the innermost of six calls of one method, which has been called often. Each call has variables of its
 * own, which it states at its end. A compiler may have made one frame of several calls.
 */
public final class Recursion implements Scenario {
    static final int CALLS = 6;
    private static final int OFTEN = 20000;
    private static final int ATTEMPTS = 20;

    @Override
    public void run() throws Exception {
        warm();
        final Descent descent = new Descent();
        for (int i = 0; i < CALLS; i++) {
            Probe.bind("label" + i, descent.labels[i]);
        }
        try (Stage stage = new Stage()) {
            Thread thread = stage.cast("recursive", new Runnable() {
                @Override
                public void run() {
                    descent.level(CALLS - 1);
                }
            });
            thread.start();
            Probe.awaitStackTop(thread, "level");
            Probe.await("the innermost call", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return descent.rounds > 0;
                }
            });
            Probe.checkpoint("spinning");
            descent.over = true;
        }
        for (int i = 0; i < CALLS; i++) {
            Probe.fact("call" + i, descent.told[i]);
        }
    }

    private static void warm() {
        Descent warm = new Descent();
        warm.over = true;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            for (int i = 0; i < OFTEN; i++) {
                warm.level(CALLS - 1);
            }
            if (Proof.IS_INTERPRETED) {
                break;
            }
        }
        Probe.fact("compiled", Probe.isCompiled(Descent.class, "level") ? 1 : 0);
    }

    /** The method and what it leaves behind. */
    static final class Descent {
        final Object[] labels = new Object[CALLS];
        final String[] told = new String[CALLS];
        volatile boolean over;
        volatile long rounds;
        Object made;
        private int sum;
        private Object kept;

        Descent() {
            for (int i = 0; i < CALLS; i++) {
                labels[i] = "label " + i;
            }
        }

        void level(int depth) {
            int number = depth * 10;
            long wide = (long) depth << 41;
            Object label = labels[depth];
            if (depth > 0) {
                level(depth - 1);
            } else {
                while (!over) {
                    if (++rounds % Bodies.SOME == 0) {
                        made = new byte[0];
                    }
                }
            }
            if (rounds == 0) {
                sum += number + (int) wide;
                kept = label;
            } else {
                told[depth] = number + "/" + wide + "/" + label;
            }
        }
    }
}
