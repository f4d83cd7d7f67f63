package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Two threads that call `held` again and again, never both at a time, until the main thread has marked its checkpoints. */
public final class Exclusion implements Scenario {
    static volatile int rounds;

    @Override
    public void run() throws Exception {
        final Object lock = new Object();
        rounds = 0;
        try (Stage stage = new Stage()) {
            final Bodies bodies = stage.bodies;
            Runnable body = new Runnable() {
                @Override
                public void run() {
                    while (!bodies.over) {
                        synchronized (lock) {
                            held();
                        }
                    }
                }
            };
            stage.cast("one", body).start();
            stage.cast("two", body).start();
            Probe.await("both to go round", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return rounds > 100;
                }
            });
            for (int i = 0; i < 20; i++) {
                Probe.checkpoint("sample");
                Thread.yield();
            }
        }
    }

    static void held() {
        for (int i = 0; i < 1000; i++) {
            rounds++;
        }
    }
}
