package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Tells of what class the system class loader is, which a system property names. */
public final class SystemLoader implements Scenario {
    @Override
    public void run() {
        Probe.fact("loader", ClassLoader.getSystemClassLoader().getClass().getName());
    }

    /** A loader that does nothing by itself. */
    public static final class Named extends ClassLoader {
        public Named(ClassLoader parent) {
            super(parent);
        }
    }
}
