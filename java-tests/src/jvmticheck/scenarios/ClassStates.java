package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class that is only loaded, one that is initialised and one whose initialiser failed; one with a debug extension. */
public final class ClassStates implements Scenario {
    static final String EXTENSION = "SMAP\nextended.java\n*E\n";

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(ClassStates.class);
        String name = ClassStates.class.getName();
        Probe.bind("loaded", loader.define(name + "$Loaded"));
        Probe.bind("initialised", loader.initialised(name + "$Initialised"));
        Class<?> failed = loader.define(name + "$Failed");
        try {
            Class.forName(failed.getName(), true, loader);
        } catch (ExceptionInInitializerError expected) {
            Probe.bind("failed", failed);
        }
        final byte[] extended = new EditedClass(Extended.class)
                .withAttribute("SourceDebugExtension", EXTENSION.getBytes("US-ASCII")).bytes();
        Probe.bind("extended", new ClassLoader(ClassStates.class.getClassLoader()) {
            Class<?> define() {
                return defineClass(Extended.class.getName(), extended, 0, extended.length);
            }
        }.define());
        Probe.bind("plain", ClassStates.class);
        Probe.bind("array", int[].class);
        Probe.bind("primitive", int.class);
        Probe.bind("loader", loader);
        Probe.fact("extension", EXTENSION);
        Probe.checkpoint("ready");
    }

    /** Not even linked. */
    static final class Loaded {
        int field;
    }

    /** Initialised. */
    static final class Initialised {
        static final int VALUE = (int) System.nanoTime();
    }

    /** Its initialiser throws. */
    static final class Failed {
        static final int VALUE = fail();

        private static int fail() {
            throw new IllegalStateException("the initialiser fails");
        }
    }

    /** Defined with a debug extension. */
    static final class Extended {
    }
}
