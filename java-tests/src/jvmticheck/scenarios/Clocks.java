package jvmticheck.scenarios;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Work between two checkpoints, and what Java measures of it, while another thread spins. */
public final class Clocks implements Scenario {
    /** The wall time that the work takes at least, in nanoseconds. */
    private static final long ELAPSED = TimeUnit.MILLISECONDS.toNanos(20);
    /** The CPU time that it takes if Java measures any: more than the steps in which timers of some systems advance. */
    static final long USED = TimeUnit.MILLISECONDS.toNanos(50);
    /** When it ends though Java has not measured as much. */
    static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

    private static volatile long sum;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            stage.startSpinning(stage.cast("runner", stage.bodies.spin()));
            Probe.bind("main", Thread.currentThread());
            Probe.fact("processors", Runtime.getRuntime().availableProcessors());
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            boolean measured = threads.isCurrentThreadCpuTimeSupported() && threads.isThreadCpuTimeEnabled();
            long before = System.nanoTime();
            Probe.checkpoint("before");
            long first = measured ? threads.getCurrentThreadCpuTime() : 0;
            long used = 0;
            long elapsed = 0;
            while (elapsed < ELAPSED || measured && used < USED && elapsed < PATIENCE) {
                sum += before;
                elapsed = System.nanoTime() - before;
                used = measured ? threads.getCurrentThreadCpuTime() - first : 0;
            }
            Probe.fact("used", used);
            Probe.checkpoint("after");
            Probe.fact("nanos", System.nanoTime() - before);
        }
    }
}
