package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** States the class of the system class loader, which a system property names. */
public final class SystemLoader implements Scenario {
    @Override
    public void run() {
        Probe.fact("loader", ClassLoader.getSystemClassLoader().getClass().getName());
    }

    /** The class loader that the command line names. It does nothing by itself. */
    public static final class Named extends ClassLoader {
        public Named(ClassLoader parent) {
            super(parent);
        }
    }

    /** Another one. */
    public static final class Other extends ClassLoader {
        public Other(ClassLoader parent) {
            super(parent);
        }
    }
}
