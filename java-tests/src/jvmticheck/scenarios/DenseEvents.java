package jvmticheck.scenarios;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls and objects by the million, and how long they take: for measuring what an event costs. */
public final class DenseEvents implements Scenario {
    private static final int CALLS = 1_000_000;
    private static final int OBJECTS = 1_000_000;
    private static final int ROUNDS = 5;

    private static int called;
    private static Object[] garbage;

    @Override
    public void run() {
        long calls = Long.MAX_VALUE;
        long freed = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
            Probe.checkpoint("calls");
            long begun = cpu();
            for (int i = 0; i < CALLS; i++) {
                call();
            }
            calls = Math.min(calls, cpu() - begun);
            Probe.checkpoint("called");
        }
        Probe.fact("calls", CALLS);
        Probe.fact("calls.ns", calls);
        for (int round = 0; round < ROUNDS; round++) {
            garbage = new Object[OBJECTS];
            for (int i = 0; i < OBJECTS; i++) {
                garbage[i] = new Garbage();
            }
            System.gc();
            Probe.checkpoint("allocated");
            garbage = null;
            long begun = cpu();
            System.gc();
            Probe.checkpoint("freed");
            freed = Math.min(freed, cpu() - begun);
        }
        Probe.fact("objects", OBJECTS);
        Probe.fact("objects.ns", freed);
    }

    /** Processor time of this process, of which a busy machine takes nothing away. */
    private static long cpu() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static void call() {
        called++;
    }

    /** An object to be tagged and freed. */
    public static final class Garbage {
        /** So that an instance has something in it. */
        int field;
    }
}
