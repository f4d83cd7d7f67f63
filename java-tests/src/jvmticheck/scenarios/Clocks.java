package jvmticheck.scenarios;

import java.lang.management.ManagementFactory;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Work between two checkpoints, and what Java measures of it, while another thread spins. */
public final class Clocks implements Scenario {
    private static volatile long sum;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            stage.startSpinning(stage.cast("runner", stage.bodies.spin()));
            Probe.bind("main", Thread.currentThread());
            Probe.fact("processors", Runtime.getRuntime().availableProcessors());
            boolean measured = ManagementFactory.getThreadMXBean().isCurrentThreadCpuTimeSupported();
            Probe.fact("cpu-before", measured ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() : 0);
            long before = System.nanoTime();
            Probe.checkpoint("before");
            while (System.nanoTime() - before < 20_000_000) {
                sum += before;
            }
            Probe.checkpoint("after");
            Probe.fact("nanos", System.nanoTime() - before);
            Probe.fact("cpu-after", measured ? ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() : 0);
        }
    }
}
