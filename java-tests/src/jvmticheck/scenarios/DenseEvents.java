package jvmticheck.scenarios;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Calls and objects by the million, and how long they take, to measure what an event costs. The first round does not
 * count. Some JVMs measure processor time in steps of 10 ms, so the scenario adds up several rounds.
 */
public final class DenseEvents implements Scenario {
    private static final int CALLS = 1_000_000;
    private static final int OBJECTS = 1_000_000;
    private static final int ROUNDS = 5;

    private static int called;
    private static Object[] garbage;

    @Override
    public void run() {
        long calls = 0;
        long freed = 0;
        for (int round = 0; round <= ROUNDS; round++) {
            Probe.checkpoint("calls");
            long begun = cpu();
            for (int i = 0; i < CALLS; i++) {
                call();
            }
            calls += round == 0 ? 0 : cpu() - begun;
            Probe.checkpoint("called");
        }
        Probe.fact("calls", (long) CALLS * ROUNDS);
        Probe.fact("calls.ns", calls);
        for (int round = 0; round <= ROUNDS; round++) {
            garbage = new Object[OBJECTS];
            for (int i = 0; i < OBJECTS; i++) {
                garbage[i] = new Garbage();
            }
            System.gc();
            Probe.checkpoint("allocated");
            garbage = null;
            long begun = cpu();
            System.gc();
            // The JVM may send the events later, on a thread of its own: here the agent waits for them.
            Probe.checkpoint("freed");
            freed += round == 0 ? 0 : cpu() - begun;
        }
        Probe.fact("objects", (long) OBJECTS * ROUNDS);
        Probe.fact("objects.ns", freed);
    }

    /** The processor time of this process, which does not depend on how busy the machine is. */
    private static long cpu() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static void call() {
        called++;
    }

    /** An object that an agent tags and the JVM frees. */
    public static final class Garbage {
        /** Gives an instance some content. */
        int field;
    }
}
