package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads that are interrupted before they are started, and threads that end while they are interrupted. */
public class InterruptedUnstarted extends OnPlatformThreads implements Scenario {
    @Override
    public final void run() throws Exception {
        try (Stage stage = new Stage()) {
            Runnable nothing = new Runnable() {
                @Override
                public void run() {
                }
            };
            Thread unstarted = stage.keep(create("unstarted", nothing));
            unstarted.interrupt();
            Thread ended = stage.keep(create("ended", new Runnable() {
                @Override
                public void run() {
                    Thread.currentThread().interrupt();
                }
            }));
            Thread interruptedLate = stage.keep(create("late", nothing));
            ended.start();
            interruptedLate.start();
            ended.join();
            interruptedLate.join();
            interruptedLate.interrupt();
            Probe.bind("unstarted", unstarted);
            Probe.bind("ended", ended);
            Probe.bind("late", interruptedLate);
            Probe.checkpoint("interrupted");
            unstarted.start();
            unstarted.join();
        }
    }
}
