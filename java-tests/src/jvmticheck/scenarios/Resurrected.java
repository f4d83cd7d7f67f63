package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** An object whose finalizer makes it reachable again. Agents find it by its class at first, as it is not bound. */
public final class Resurrected implements Scenario {
    /** How many collections to request; JVMs that obey need one or two. */
    private static final int ATTEMPTS = 50;
    private static final int MILLIS = 20;

    /** What the finalizer keeps. */
    private static volatile Object saved;

    @Override
    public void run() throws Exception {
        Class<?> type = new FreshLoader(Returning.class).initialised(Returning.class.getName());
        Probe.bind("class", type);
        make(type);
        for (int attempt = 0; attempt < ATTEMPTS && saved == null; attempt++) {
            System.gc();
            System.runFinalization();
            Thread.sleep(MILLIS);
        }
        Probe.fact("saved", saved == null ? 0 : 1);
        Probe.bind("saved", saved == null ? type : saved);
        Probe.checkpoint("resurrected");
        System.gc();
        Probe.checkpoint("after");
        saved = null;
    }

    /** This has a frame of its own, because leftovers in a longer-lived frame would keep the object alive. */
    private static void make(Class<?> type) throws Exception {
        Object object = type.getDeclaredConstructor().newInstance();
        Probe.checkpoint("made");
        Probe.fact("made", object == null ? 0 : 1);
    }

    /** What the finalizer calls. */
    public static void save(Object object) {
        saved = object;
    }

    /** The class of the object. */
    public static final class Returning {
        public Returning() {
        }

        @Override
        protected void finalize() {
            save(this);
        }
    }
}
