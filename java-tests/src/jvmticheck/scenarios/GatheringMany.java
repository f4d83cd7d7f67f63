package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Five threads that do what the two threads of `Gathering` do. */
public final class GatheringMany implements Scenario {
    /** How long to continue without the signal. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    @Override
    public void run() throws Exception {
        final Thread signal = new Thread("signal");
        Probe.bind("signal", signal);
        try (final Stage stage = new Stage()) {
            List<Thread> threads = new ArrayList<Thread>();
            for (final String name : new String[] {"one", "two", "three", "four", "five"}) {
                threads.add(stage.cast(name, new Runnable() {
                    @Override
                    public void run() {
                        while (!stage.bodies.over) {
                            Probe.checkpoint(name);
                            Thread.yield();
                        }
                    }
                }));
            }
            Probe.checkpoint("before");
            for (Thread thread : threads) {
                thread.start();
            }
            long start = System.nanoTime();
            while (signal.getState() == Thread.State.NEW && System.nanoTime() - start < PATIENCE) {
                Probe.checkpoint("poll");
                Thread.yield();
            }
            // An interrupt would disturb threads that are still returning from a wait.
            stage.bodies.over = true;
            for (Thread thread : threads) {
                thread.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE));
            }
        }
        Probe.checkpoint("after");
    }
}
