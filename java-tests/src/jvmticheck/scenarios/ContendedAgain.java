package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that waits to enter the same monitor three times. */
public final class ContendedAgain implements Scenario {
    private static final int ROUNDS = 3;

    private final Object monitor = new Object();
    private volatile int allowed;
    private volatile int entered;

    @Override
    public void run() throws Exception {
        Probe.bind("monitor", monitor);
        try (Stage stage = new Stage()) {
            Thread contender = stage.cast("contender", new Runnable() {
                @Override
                public void run() {
                    for (int round = 1; round <= ROUNDS; round++) {
                        while (allowed < round) {
                            Thread.yield();
                        }
                        enter(round);
                    }
                }
            });
            Probe.checkpoint("before");
            contender.start();
            for (int i = 1; i <= ROUNDS; i++) {
                final int round = i;
                synchronized (monitor) {
                    allowed = round;
                    Probe.await(contender, State.BLOCKED, "enter");
                }
                Probe.await("the contender to enter", new Probe.Condition() {
                    @Override
                    public boolean holds() {
                        return entered == round;
                    }
                });
            }
            contender.join();
            Probe.checkpoint("after");
        }
    }

    void enter(int round) {
        synchronized (monitor) {
            entered = round;
        }
    }
}
