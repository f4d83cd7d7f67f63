package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread with many frames, of which the oldest, the middle and the youngest hold monitors. */
public class DeepStack extends OnPlatformThreads implements Scenario {
    private static final int FRAMES = 1500;

    private final Object outer = new Object();
    private final Object middle = new Object();
    private final Object inner = new Object();
    private int left;

    @Override
    public final void run() throws Exception {
        Probe.bind("outer", outer);
        Probe.bind("middle", middle);
        Probe.bind("inner", inner);
        try (Stage stage = new Stage()) {
            Thread deep = stage.keep(create("deep", new Runnable() {
                @Override
                public void run() {
                    hold();
                }
            }));
            Probe.bind("deep", deep);
            deep.start();
            deep.join();
        }
    }

    private void hold() {
        synchronized (outer) {
            synchronized (outer) {
                descend(FRAMES);
            }
        }
    }

    private int descend(int frames) {
        if (frames == FRAMES / 2) {
            synchronized (middle) {
                return descend(frames - 1) + 1;
            }
        }
        if (frames > 0) {
            return descend(frames - 1) + 1;
        }
        synchronized (inner) {
            Probe.fact("frames", Thread.currentThread().getStackTrace().length - 1);
            Probe.checkpoint("deep");
        }
        return left;
    }
}
