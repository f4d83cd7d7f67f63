package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Objects that nothing refers to any more, while no other thread of the scenario runs, and while one compresses data without end: native code
 * may have direct access to its arrays most of the time, which then cannot move.
 */
public final class CriticalSection implements Scenario {
    private static final int OBJECTS = 9;

    @Override
    public void run() {
        List<WeakReference<?>> objects = dropped();
        Probe.checkpoint("calm");
        Probe.fact("calm", Garbage.cleared(objects));
        try (Stage stage = new Stage()) {
            stage.start(Stage.daemon("compressing", new Compressing(stage.bodies)), State.RUNNABLE, "deflate");
            objects = dropped();
            Probe.checkpoint("busy");
            Probe.fact("busy", Garbage.cleared(objects));
        }
        Probe.checkpoint("after");
    }

    private static List<WeakReference<?>> dropped() {
        List<WeakReference<?>> objects = new ArrayList<WeakReference<?>>();
        for (int i = 0; i < OBJECTS; i++) {
            objects.add(new WeakReference<Object>(new Object()));
        }
        return objects;
    }
}
