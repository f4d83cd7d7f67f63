package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A method of the class library, which may have been called often before, has the JVM call a class loader. */
public final class HotUpcall implements Scenario {
    /** Calls after which HotSpot compiles a native method. */
    private static final int MANY = 20_000;

    /** The class that it is asked for. */
    public static final class Needed {
    }

    /** Says that it is asked for the class. */
    private static final class Loader extends ClassLoader {
        private final String name;

        Loader(String name) {
            super(HotUpcall.class.getClassLoader());
            this.name = name;
        }

        @Override
        public Class<?> loadClass(String asked) throws ClassNotFoundException {
            if (asked.equals(Needed.class.getName())) {
                Probe.checkpoint(name);
            }
            return super.loadClass(asked);
        }
    }

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        call(new Loader("once"));
        Probe.checkpoint("once_after");
        Loader loader = new Loader("often");
        for (int call = 0; call < MANY; call++) {
            Class.forName(HotUpcall.class.getName(), false, loader);
        }
        Probe.fact("compiled", Probe.mayHaveCompiled(Class.class, "forName0") ? 1 : 0);
        call(loader);
        Probe.checkpoint("often_after");
    }

    private static void call(ClassLoader loader) throws ClassNotFoundException {
        Class.forName(Needed.class.getName(), false, loader);
    }
}
