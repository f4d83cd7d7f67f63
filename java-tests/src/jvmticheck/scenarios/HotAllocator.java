package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A Java method that has been called often allocates. */
public final class HotAllocator implements Scenario {
    private static final int MANY = 20_000;
    private static final int SMALL = 16;
    /** So large and so many that allocation buffers of the JVM are used up. */
    private static final int LARGE = 100_000;
    private static final int FEW = 500;

    /** For the agent to read. */
    static int number = 5;
    static Object made;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            Probe.bind("main", Thread.currentThread());
            Probe.bind("class", HotAllocator.class);
            stage.start(stage.cast("other", stage.bodies.park(false)), Thread.State.WAITING, "park");
            for (int call = 0; call < MANY; call++) {
                allocate(SMALL + (call & 1));
            }
            Probe.fact("compiled", Probe.mayHaveCompiled(HotAllocator.class, "allocate") ? 1 : 0);
            Probe.checkpoint("before");
            for (int call = 0; call < FEW; call++) {
                allocate(LARGE);
            }
            Probe.checkpoint("after");
        }
    }

    private static void allocate(int bytes) {
        made = new byte[bytes];
    }
}
