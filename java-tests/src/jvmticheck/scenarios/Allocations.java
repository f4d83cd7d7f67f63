package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Objects of a class that is new in each run, created by the main thread and by another one. */
public class Allocations extends OnPlatformThreads implements Scenario {
    static final int COUNT = 20;
    /** Public, because the class that is defined anew is in another run-time package. */
    public static Object kept;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Allocated.class);
        Runnable maker = (Runnable) loader.made(Allocated.class);
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", maker.getClass());
        Probe.bind("element", Integer.class);
        Probe.fact("count", COUNT);
        try (Stage stage = new Stage()) {
            Thread other = stage.keep(create("other", maker));
            Probe.checkpoint("before");
            maker.run();
            Probe.checkpoint("made");
            stage.startAndEnd(other);
            Probe.checkpoint("after");
        }
        kept = null;
    }

    /** Creates instances of itself. */
    public static final class Allocated implements Runnable {
        private final long[] weight = new long[4];

        @Override
        public void run() {
            Object[] made = new Object[COUNT];
            for (int i = 0; i < COUNT; i++) {
                made[i] = new Allocated();
            }
            kept = made;
        }
    }
}
