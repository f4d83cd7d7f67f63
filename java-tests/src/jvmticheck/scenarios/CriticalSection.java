package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Objects that nothing refers to any more, while no other thread of the scenario runs, and while one compresses data without end: native code
 * may have direct access to its arrays most of the time, which then cannot move.
 */
public final class CriticalSection implements Scenario {
    private static final int OBJECTS = 9;
    private static final int BYTES = 1 << 21;
    private static final int BEST = 9;

    private static volatile boolean over;

    @Override
    public void run() {
        over = false;
        List<WeakReference<?>> objects = dropped();
        Probe.checkpoint("calm");
        Probe.fact("calm", Garbage.cleared(objects));
        Stage stage = new Stage();
        try {
            stage.start(Stage.daemon("compressing", new Runnable() {
                @Override
                public void run() {
                    compress();
                }
            }), State.RUNNABLE, "deflate");
            objects = dropped();
            Probe.checkpoint("busy");
            Probe.fact("busy", Garbage.cleared(objects));
        } finally {
            over = true;
            stage.close();
        }
        Probe.checkpoint("after");
    }

    private static void compress() {
        byte[] data = new byte[BYTES];
        byte[] compressed = new byte[BYTES];
        new Random(1).nextBytes(data);
        while (!over) {
            Deflater deflater = new Deflater(BEST);
            deflater.setInput(data);
            deflater.finish();
            while (!deflater.finished() && !over) {
                deflater.deflate(compressed);
            }
            deflater.end();
        }
    }

    private static List<WeakReference<?>> dropped() {
        List<WeakReference<?>> objects = new ArrayList<WeakReference<?>>();
        for (int i = 0; i < OBJECTS; i++) {
            objects.add(new WeakReference<Object>(new Object()));
        }
        return objects;
    }
}
