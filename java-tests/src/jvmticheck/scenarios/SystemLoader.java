package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** States the class of the system class loader, which a system property names. */
public final class SystemLoader implements Scenario {
    @Override
    public void run() {
        Probe.fact("loader", ClassLoader.getSystemClassLoader().getClass().getName());
    }

    /** A class loader that does nothing by itself. */
    public static final class Named extends ClassLoader {
        public Named(ClassLoader parent) {
            super(parent);
        }
    }
}
