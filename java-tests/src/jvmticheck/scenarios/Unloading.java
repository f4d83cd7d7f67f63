package jvmticheck.scenarios;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that the JVM unloads, and its namesake that is loaded afterwards, and then Objects. Only weak references to the first
 * class may outlive `loaded`.
 */
public final class Unloading implements Scenario {
    /** How many collections to request; JVMs that obey need one or two. */
    private static final int ATTEMPTS = 20;
    private static final String DOOMED = "jvmticheck.scenarios.Unloading$Doomed";

    @Override
    public void run() throws Exception {
        List<WeakReference<Object>> doomed = load();
        for (int attempt = 0; attempt < ATTEMPTS && Garbage.cleared(doomed) < doomed.size(); attempt++) {
            System.gc();
        }
        Probe.fact("unloaded", doomed.get(0).get() == null ? 1 : 0);
        Probe.fact("freed", Garbage.cleared(doomed));
        Probe.checkpoint("unloaded");
        Class<?> again = new FreshLoader(Doomed.class).initialised(DOOMED);
        Probe.bind("again", again);
        Probe.checkpoint("again");
        again.getMethod("work").invoke(null);
        Probe.checkpoint("worked");
        Probe.bind("again", null);
        new Objects().run();
    }

    /** The class, its loader and an instance of it. */
    private static List<WeakReference<Object>> load() throws Exception {
        Class<?> type = new FreshLoader(Doomed.class).initialised(DOOMED);
        List<WeakReference<Object>> doomed = new ArrayList<WeakReference<Object>>();
        Object made = type.getMethod("made").invoke(null);
        doomed.add(new WeakReference<Object>(type));
        doomed.add(new WeakReference<Object>(type.getClassLoader()));
        doomed.add(new WeakReference<Object>(made));
        Probe.bind("doomed", type);
        Probe.bind("doomed_loader", type.getClassLoader());
        Probe.bind("doomed_object", made);
        Probe.checkpoint("loaded");
        type.getMethod("work").invoke(null);
        Probe.checkpoint("used");
        Probe.bind("doomed", null);
        Probe.bind("doomed_loader", null);
        Probe.bind("doomed_object", null);
        return doomed;
    }

    /** The class that is unloaded. */
    public static final class Doomed {
        public static int field;

        private Doomed() {
        }

        /** An instance. */
        public static Object made() {
            return new Doomed();
        }

        /** Reads and writes the field once. */
        public static int work() {
            Probe.checkpoint("inside");
            int read = field;
            field = read + 1;
            return read;
        }
    }
}
