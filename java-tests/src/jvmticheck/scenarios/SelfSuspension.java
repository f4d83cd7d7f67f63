package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that reaches the checkpoint `self` and may stay in it, and the main thread, which marks `watch` several
 * times and then `release` until the other thread has come back.
 */
public class SelfSuspension extends OnPlatformThreads implements Scenario {
    /** How many times the main thread marks `watch` before any `release`. */
    private static final int WATCHES = 200;

    private volatile boolean arriving;
    private volatile boolean back;

    @Override
    public final void run() throws Exception {
        try (Stage stage = new Stage()) {
            Thread self = stage.keep(create("self", new Runnable() {
                @Override
                public void run() {
                    long begin = System.nanoTime();
                    arriving = true;
                    Probe.checkpoint("self");
                    Probe.fact("self.nanos", System.nanoTime() - begin);
                    back = true;
                }
            }));
            self.start();
            Probe.await("the thread to arrive", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return arriving;
                }
            });
            for (int i = 0; i < WATCHES; i++) {
                Probe.checkpoint("watch");
                Thread.yield();
            }
            Probe.fact("self.back-before-release", back ? 1 : 0);
            while (!back) {
                Probe.checkpoint("release");
                Thread.yield();
            }
        }
        Probe.fact("self.back", back ? 1 : 0);
    }
}
