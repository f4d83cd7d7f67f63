package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Many allocations: by the main thread up to `by_main`, by another one up to `by_other`, and some objects of a class of
 * their own up to `some`.
 */
public class Sampling extends OnPlatformThreads implements Scenario {
    /** How many arrays of a kilobyte; with their headers about 66.6 MB. */
    static final int ARRAYS = 65536;
    static final int SOME = 100;
    /** After how many arrays the other thread yields. */
    static final int YIELDING = 1000;
    /** Visible to other threads, so that no allocation can be optimised away. */
    static volatile Object kept;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", Some.class);
        Probe.fact("some", SOME);
        try (Stage stage = new Stage()) {
            Thread other = stage.keep(create("other", new Runnable() {
                @Override
                public void run() {
                    allocate(true);
                }
            }));
            Probe.checkpoint("before");
            allocate(false);
            Probe.checkpoint("by_main");
            for (int i = 0; i < SOME; i++) {
                kept = new Some();
            }
            Probe.checkpoint("some");
            stage.startAndEnd(other);
            Probe.checkpoint("by_other");
        }
        kept = null;
    }

    /** Yields now and then, so that a virtual thread may go on elsewhere. */
    private static void allocate(boolean yields) {
        for (int i = 0; i < ARRAYS; i++) {
            kept = new byte[1000];
            if (yields && i % YIELDING == 0) {
                Thread.yield();
            }
        }
    }

    /** The class of these objects. */
    static final class Some {
        long weight = 1;
    }
}
