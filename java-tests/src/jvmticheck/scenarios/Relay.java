package jvmticheck.scenarios;

import java.util.concurrent.CountDownLatch;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that exists at `before` and marks `early`, and one that is created after it and marks `late`. */
public final class Relay implements Scenario {
    @Override
    public void run() throws Exception {
        final CountDownLatch go = new CountDownLatch(1);
        try (Stage stage = new Stage()) {
            Thread early = stage.cast("early", new Runnable() {
                @Override
                public void run() {
                    try {
                        go.await();
                        Probe.checkpoint("early");
                    } catch (InterruptedException over) {
                        // This is how the threads of a scenario that failed end.
                    }
                }
            });
            stage.start(early, Thread.State.WAITING, "park");
            Probe.checkpoint("before");
            go.countDown();
            early.join();
            stage.startAndEnd(stage.cast("late", new Runnable() {
                @Override
                public void run() {
                    Probe.checkpoint("late");
                }
            }));
            Probe.checkpoint("after");
        }
    }
}
