package jvmticheck.scenarios;

import java.lang.ref.WeakReference;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class that the JVM unloads, and then Objects. Only weak references to the class may outlive `loaded`. */
public final class Unloading implements Scenario {
    /** How many collections to request; JVMs that obey need one or two. */
    private static final int ATTEMPTS = 50;

    @Override
    public void run() throws Exception {
        WeakReference<Class<?>> unloaded = load();
        for (int attempt = 0; attempt < ATTEMPTS && unloaded.get() != null; attempt++) {
            System.gc();
        }
        Probe.fact("unloaded", unloaded.get() == null ? 1 : 0);
        new Objects().run();
    }

    private static WeakReference<Class<?>> load() throws Exception {
        Class<?> type = new FreshLoader(Doomed.class).initialised("jvmticheck.scenarios.Unloading$Doomed");
        Probe.bind("doomed", type);
        Probe.checkpoint("loaded");
        Probe.bind("doomed", null);
        return new WeakReference<Class<?>>(type);
    }

    /** The class that is unloaded. */
    static final class Doomed {
        static int field;
    }
}
