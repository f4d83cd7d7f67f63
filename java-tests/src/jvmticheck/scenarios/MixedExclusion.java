package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Two virtual threads and a platform thread that call `held` again and again, at most one at a time. JDK 21 and newer. */
public final class MixedExclusion implements Scenario {
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
            stage.keep(Virtual.thread("one", body)).start();
            stage.keep(Virtual.thread("two", body)).start();
            stage.cast("three", body).start();
            Probe.await("all to go round", new Probe.Condition() {
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
