package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Two threads that initialise a class, the second one as soon as an agent calls `meanwhile` in the event that reports that the first one
 * has prepared it.
 */
public final class Preparing implements Scenario {
    private static final String NAME = "jvmticheck.scenarios.Preparing$Prepared";
    /** How long the second thread may take to execute code of the class, if the JVM lets it. */
    private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(150);

    private static volatile boolean isReleased;
    private static volatile boolean isReady;
    private static volatile boolean isExecuted;
    private static volatile int early;

    @Override
    public void run() throws Exception {
        isReleased = false;
        isReady = false;
        isExecuted = false;
        early = -1;
        final FreshLoader loader = new FreshLoader(Prepared.class);
        Probe.bind("class", loader.define(NAME));
        Probe.bind("scenario", Preparing.class);
        try (Stage stage = new Stage()) {
            final Runnable initialisation = loader.initialisation(NAME);
            Thread first = stage.cast("first", initialisation);
            Thread second = stage.cast("second", new Runnable() {
                @Override
                public void run() {
                    while (!isReleased) {
                        Thread.yield();
                    }
                    isReady = true;
                    initialisation.run();
                }
            });
            Probe.checkpoint("loaded");
            second.start();
            stage.startAndEnd(first);
            isReleased = true;
            second.join();
        }
        Probe.checkpoint("initialised");
        Probe.fact("early", early);
    }

    /** For agents to call, when the first thread has prepared the class. */
    static void meanwhile() {
        isReleased = true;
        long deadline = System.nanoTime() + PATIENCE;
        while (!isExecuted && System.nanoTime() < deadline) {
            if (!isReady) {
                deadline = System.nanoTime() + PATIENCE;
            }
            Thread.yield();
        }
        early = isExecuted ? 1 : 0;
    }

    /** For the class to call. */
    public static void execute() {
        isExecuted = true;
    }

    /** What both threads initialise. */
    static final class Prepared {
        static {
            Preparing.execute();
        }
    }
}
