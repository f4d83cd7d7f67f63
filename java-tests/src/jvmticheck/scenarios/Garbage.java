package jvmticheck.scenarios;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Objects that are alive at `alive` and collected at `collected`; agents find them by their class, as they are not bound. */
public final class Garbage implements Scenario {
    static final int COUNT = 10;
    /** How many collections to request; JVMs that obey need one or two. */
    private static final int ATTEMPTS = 50;

    /** Keeps one of the objects alive. */
    private static Object kept;

    @Override
    public void run() throws Exception {
        List<WeakReference<?>> dropped = new ArrayList<WeakReference<?>>();
        FreshLoader loader = new FreshLoader(Dropped.class);
        Class<?> type = loader.initialised("jvmticheck.scenarios.Garbage$Dropped");
        Probe.bind("class", type);
        Probe.fact("created", COUNT);
        create(type, dropped);
        Probe.checkpoint("dropped");
        Probe.fact("forced", cleared(dropped));
        Probe.fact("cleared", collect(dropped));
        Probe.checkpoint("collected");
        List<WeakReference<?>> unloaded = new ArrayList<WeakReference<?>>();
        load(unloaded);
        Probe.fact("unloaded", collect(unloaded));
        Probe.checkpoint("unloaded");
        kept = null;
    }

    /** This has a frame of its own, because leftovers in a longer-lived frame would keep the objects alive. */
    private static void create(Class<?> type, List<WeakReference<?>> dropped) throws Exception {
        Object[] objects = new Object[COUNT];
        for (int i = 0; i < COUNT; i++) {
            objects[i] = type.getDeclaredConstructor().newInstance();
            if (i > 0) {
                dropped.add(new WeakReference<Object>(objects[i]));
            }
        }
        kept = objects[0];
        Probe.checkpoint("alive");
        Arrays.fill(objects, null);
    }

    private static void load(List<WeakReference<?>> unloaded) throws Exception {
        Class<?> type = new FreshLoader(Dropped.class).initialised("jvmticheck.scenarios.Garbage$Dropped");
        unloaded.add(new WeakReference<Object>(type));
        unloaded.add(new WeakReference<Object>(type.getClassLoader()));
    }

    /** Collects garbage until all references are cleared, within limits, and returns how many are. */
    private static long collect(List<WeakReference<?>> references) {
        long cleared = 0;
        for (int attempt = 0; attempt < ATTEMPTS && cleared < references.size(); attempt++) {
            System.gc();
            cleared = cleared(references);
        }
        return cleared;
    }

    /** How many of the references are cleared. */
    static long cleared(List<? extends WeakReference<?>> references) {
        long cleared = 0;
        for (WeakReference<?> reference : references) {
            cleared += reference.get() == null ? 1 : 0;
        }
        return cleared;
    }

    /** The class of the objects, each with an array, so that the JVM notices the garbage. */
    public static final class Dropped {
        final byte[] weight = new byte[100];
    }
}
