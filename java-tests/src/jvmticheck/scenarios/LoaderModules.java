package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The unnamed modules of class loaders. JDK 9 and newer. */
public final class LoaderModules implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Held.class);
        loader.define(Held.class.getName(), new ClassFile(Held.class).bytes);
        Class<?> held = loader.initialised(Held.class.getName());
        Probe.bind("own_class", held);
        bind("own", held.getClassLoader());
        bind("platform", (ClassLoader) ClassLoader.class.getMethod("getPlatformClassLoader").invoke(null));
        bind("system", ClassLoader.getSystemClassLoader());
        Probe.checkpoint("ready");
    }

    private static void bind(String name, ClassLoader loader) throws ReflectiveOperationException {
        Probe.bind(name, ClassLoader.class.getMethod("getUnnamedModule").invoke(loader));
    }

    /** What the class loader defines. */
    static final class Held {
        static int used = 1;
    }
}
