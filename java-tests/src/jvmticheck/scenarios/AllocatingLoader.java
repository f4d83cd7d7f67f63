package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Reflection asks a class for its methods, for which the JVM has to call the class loader. That makes objects by bytecodes: one with a
 * finalizer, and an array that may be too large for a buffer. The fact `asked` says whether the JVM has called it meanwhile.
 */
public final class AllocatingLoader implements Scenario {
    private static final int LARGE = 1000000;

    /** A class that only a parameter needs. */
    public static final class Parameter {
    }

    /** A class with that parameter. */
    public static final class Asked {
        public void take(Parameter parameter) {
        }
    }

    /** What the loader makes. */
    public static final class Made {
        @Override
        protected void finalize() {
            kept = null;
        }
    }

    static volatile Object kept;

    private volatile boolean asking;
    private int asked;

    @Override
    public void run() throws Exception {
        Probe.bind("made_class", Made.class);
        Probe.bind("array_class", Made[].class);
        ClassLoader loader = new Loader();
        Class<?> type = Class.forName(Asked.class.getName(), true, loader);
        Probe.checkpoint("before");
        asking = true;
        type.getDeclaredMethods();
        asking = false;
        Probe.checkpoint("after");
        Probe.fact("asked", asked);
    }

    private void make() {
        asked = 1;
        kept = new Made();
        kept = new Made[LARGE];
    }

    /** Defines the two classes itself. */
    private final class Loader extends FreshLoader {
        Loader() {
            super(AllocatingLoader.class);
        }

        @Override
        boolean isOwn(String name) {
            boolean isOwn = name.equals(Asked.class.getName()) || name.equals(Parameter.class.getName());
            if (isOwn && asking) {
                make();
            }
            return isOwn;
        }
    }
}
