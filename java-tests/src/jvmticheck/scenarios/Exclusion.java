package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads that call `held` again and again, one at a time, until the main thread has marked its checkpoints: here, two platform threads. */
public class Exclusion implements Scenario {
    static volatile int rounds;

    @Override
    public final void run() throws Exception {
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
            start(stage, body);
            Probe.await("them to go round", new Probe.Condition() {
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

    /** Starts the threads. */
    void start(Stage stage, Runnable body) throws ReflectiveOperationException {
        stage.cast("one", body).start();
        stage.cast("two", body).start();
    }

    static void held() {
        for (int i = 0; i < 1000; i++) {
            rounds++;
        }
    }
}
