package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that compresses data by native code that may have direct access to arrays. An agent may suspend it, and resume it before it
 * has to end. In between the main thread makes more objects than the heap has room for at the same time.
 */
public final class SuspendedCompressing implements Scenario {
    private static final int ARRAYS = 4096;
    private static final int LENGTH = 1 << 16;

    private volatile byte[] last;

    @Override
    public void run() {
        try (Stage stage = new Stage()) {
            stage.start(stage.cast("compressing", new Compressing(stage.bodies)), State.RUNNABLE, "deflate");
            Probe.checkpoint("busy");
            int made = 0;
            for (int i = 0; i < ARRAYS; i++) {
                last = new byte[LENGTH];
                made += last.length / LENGTH;
            }
            Probe.fact("made", made);
            Probe.checkpoint("made");
        }
        Probe.checkpoint("after");
    }
}
