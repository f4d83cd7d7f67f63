package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Two threads each mark a checkpoint of their own again and again, so that neither comes too early for what an agent
 * does in it, while the main thread marks `poll`. The agent ends this by starting `signal`.
 */
public class Gathering implements Scenario {
    /** How long to continue without the signal. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    private final String[] names;

    /** The two threads. */
    public Gathering() {
        this("first", "second");
    }

    /** Threads of these names. */
    Gathering(String... names) {
        this.names = names;
    }

    @Override
    public final void run() throws Exception {
        final Thread signal = new Thread("signal");
        Probe.bind("main", Thread.currentThread());
        Probe.bind("signal", signal);
        try (final Stage stage = new Stage()) {
            List<Thread> all = new ArrayList<Thread>();
            for (String name : names) {
                all.add(stage.cast(name, marker(name, stage)));
            }
            Probe.checkpoint("before");
            for (Thread thread : all) {
                thread.start();
            }
            long start = System.nanoTime();
            while (signal.getState() == Thread.State.NEW && System.nanoTime() - start < PATIENCE) {
                Probe.checkpoint("poll");
                Thread.yield();
            }
            // An interrupt would disturb threads that are still returning from a wait.
            stage.bodies.over = true;
            for (Thread thread : all) {
                thread.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE));
            }
        }
        Probe.checkpoint("after");
    }

    private static Runnable marker(final String name, final Stage stage) {
        return new Runnable() {
            @Override
            public void run() {
                while (!stage.bodies.over) {
                    Probe.checkpoint(name);
                    Thread.yield();
                }
            }
        };
    }
}
