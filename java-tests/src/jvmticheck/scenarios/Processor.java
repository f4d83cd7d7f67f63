package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that uses processor time and a thread that uses none, between the checkpoints `burning` and `burnt`. */
public final class Processor implements Scenario {
    /** The minimum wall time between the checkpoints, in nanoseconds. */
    private static final long ELAPSED = TimeUnit.MILLISECONDS.toNanos(10);
    /** How many rounds the burner makes between the checkpoints, so that it has run however busy the machine is. */
    private static final long ROUNDS = 100000;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        try (Stage stage = new Stage()) {
            final Burner burner = new Burner(stage.bodies);
            stage.start(stage.cast("idle", stage.bodies.park(false)), State.WAITING, "park");
            Thread thread = stage.cast("burner", burner);
            stage.start(thread, State.RUNNABLE, "burn");
            final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            final boolean measured = threads.isThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled();
            final long id = thread.getId();
            final long begin = System.nanoTime();
            Probe.checkpoint("burning");
            final long used = measured ? threads.getThreadCpuTime(id) : 0;
            final long rounds = burner.rounds + ROUNDS;
            Probe.await("the burner to burn", new Probe.Condition() {
                @Override
                public boolean holds() {
                    long elapsed = System.nanoTime() - begin;
                    boolean isEnough =
                            !measured || threads.getThreadCpuTime(id) - used >= Clocks.USED || elapsed > Clocks.PATIENCE;
                    return isEnough && elapsed > ELAPSED && burner.rounds > rounds;
                }
            });
            Probe.fact("burner.cpu", measured ? threads.getThreadCpuTime(id) - used : 0);
            Probe.checkpoint("burnt");
            Probe.fact("elapsed.nanos", System.nanoTime() - begin);
            Probe.fact("processors", Runtime.getRuntime().availableProcessors());
        }
    }

    private static final class Burner implements Runnable {
        volatile long rounds;
        private final Bodies bodies;

        Burner(Bodies bodies) {
            this.bodies = bodies;
        }

        @Override
        public void run() {
            burn();
        }

        private void burn() {
            while (!bodies.over) {
                count();
            }
        }

        private void count() {
            rounds++;
        }
    }
}
