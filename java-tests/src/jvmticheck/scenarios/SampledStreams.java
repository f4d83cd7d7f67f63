package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Allocations of unlike kinds: `mixer` allocates small objects between large arrays up to `mixed`, and up to `after` a
 * hundred threads, one after the other, allocate a single object.
 */
public class SampledStreams extends OnPlatformThreads implements Scenario {
    static final int ARRAYS = 280;
    static final int LARGE = 300000;
    static final int SMALL_BETWEEN = 535;
    static final int THREADS = 100;
    /** Visible to other threads, so that no allocation can be optimised away. */
    static volatile Object kept;

    @Override
    public void run() throws Exception {
        Probe.bind("small", Small.class);
        Probe.bind("only", Only.class);
        try (Stage stage = new Stage()) {
            Thread mixer = stage.keep(create("mixer", new Runnable() {
                @Override
                public void run() {
                    mix();
                }
            }));
            Probe.checkpoint("before");
            stage.startAndEnd(mixer);
        }
        Probe.checkpoint("mixed");
        for (int i = 0; i < THREADS; i++) {
            Thread brief = create("brief", new Runnable() {
                @Override
                public void run() {
                    kept = new Only();
                }
            });
            brief.start();
            brief.join();
        }
        Probe.checkpoint("after");
        kept = null;
    }

    /** Yields now and then, so that a virtual thread may go on elsewhere. */
    private static void mix() {
        for (int i = 0; i < ARRAYS; i++) {
            kept = new byte[LARGE];
            Thread.yield();
            for (int k = 0; k < SMALL_BETWEEN; k++) {
                kept = new Small();
            }
        }
    }

    /** An object of 56 bytes. */
    static final class Small {
        long first;
        long second;
        long third;
        long fourth;
        long fifth;
    }

    /** The class of what the brief threads allocate. */
    static final class Only {
        long weight = 1;
    }
}
