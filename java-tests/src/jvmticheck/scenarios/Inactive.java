package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads that do nothing while the main thread works. */
public final class Inactive implements Scenario {
    private static final long ELAPSED = TimeUnit.MILLISECONDS.toNanos(60);

    private static volatile long sum;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            work();
            stage.start(stage.cast("parked", stage.bodies.park(false)), State.WAITING, "park");
            stage.start(stage.cast("waiting", stage.bodies.await(new Object(), false)), State.WAITING, "wait");
            Probe.bind("main", Thread.currentThread());
            Probe.checkpoint("before");
            work();
            Probe.checkpoint("after");
        }
    }

    private static void work() {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < ELAPSED) {
            sum += begin;
        }
    }
}
