package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class that a class loader of its own loads, links and initialises step by step. */
public final class ClassLoading implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Fresh.class);
        Probe.bind("loader", loader);
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        Class<?> loaded = loader.define("jvmticheck.scenarios.ClassLoading$Fresh");
        Probe.bind("class", loaded);
        Probe.checkpoint("loaded");
        Class.forName(loaded.getName(), true, loader);
        Probe.checkpoint("initialised");
        Probe.fact("class.signature", "L" + loaded.getName().replace('.', '/') + ";");
    }

    /** The class that is loaded; this class loader never initialises it. */
    public static final class Fresh {
        static final long BORN = System.nanoTime();
        int field;

        int method() {
            return field;
        }
    }
}
