package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that sleeps again whenever it is interrupted, and one that spins again whenever an exception strikes it. */
public final class StruckAgain implements Scenario {
    private static final int ROUNDS = 3;
    private static final long DAY = 86400000;

    private volatile int interrupted;
    private volatile int struck;
    private volatile boolean over;
    private int rounds;
    Object made;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            final boolean hasSleeper = Probe.isUsed("sleeper");
            final boolean hasSpinner = Probe.isUsed("spinner");
            Probe.bind("stroke", new Stroke());
            Thread sleeper = stage.cast("sleeper", new Runnable() {
                @Override
                public void run() {
                    sleep();
                }
            });
            Thread spinner = stage.cast("spinner", new Runnable() {
                @Override
                public void run() {
                    takeStrokes();
                }
            });
            if (hasSleeper) {
                stage.start(sleeper, State.TIMED_WAITING, "sleep");
            }
            if (hasSpinner) {
                spinner.start();
                Probe.awaitStackTop(spinner, "spin");
            }
            for (int i = 1; i <= ROUNDS; i++) {
                final int round = i;
                Probe.checkpoint("round");
                Probe.await(5000000000L, new Probe.Condition() {
                    @Override
                    public boolean holds() {
                        return (!hasSleeper || interrupted >= round) && (!hasSpinner || struck >= round);
                    }
                });
                if (hasSleeper) {
                    Probe.await(sleeper, State.TIMED_WAITING, "sleep");
                }
                if (hasSpinner) {
                    Probe.awaitStackTop(spinner, "spin");
                }
            }
            Probe.fact("interrupted", interrupted);
            Probe.fact("struck", struck);
            over = true;
        }
    }

    private void sleep() {
        while (!over) {
            try {
                Thread.sleep(DAY);
            } catch (InterruptedException expected) {
                interrupted++;
            }
        }
    }

    private void takeStrokes() {
        while (!over) {
            try {
                spin();
            } catch (Stroke expected) {
                struck++;
            }
        }
    }

    private void spin() {
        while (!over) {
            if (++rounds % Bodies.SOME == 0) {
                made = new byte[0];
            }
        }
    }

    /** What strikes the thread that spins. */
    private static final class Stroke extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
