package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class that is only loaded, one that is initialised, one whose initialiser failed, and one with a debug extension. */
public final class ClassStates implements Scenario {
    static final String EXTENSION = "SMAP\nextended.java\n*E\n";
    /** Another extension, with characters of two and of three bytes. */
    private static final String WIDE_EXTENSION = "SMAP\n\u00e9\u4e16.java\n*E\n";
    private static final int OLDEST_VERSION = 45;
    private static final int OLDEST_MINOR = 3;
    private static final int COMPILED_VERSION = 52;
    /** Where class files have the lower byte of the minor version. */
    private static final int MINOR = 5;

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
        Class<?> lone = extended(EXTENSION);
        for (String array : new String[] {"[Z", "[B", "[C", "[S", "[I", "[J", "[F", "[D"}) {
            Class.forName(array, false, lone.getClassLoader());
        }
        Class.forName("[[Ljava.lang.Object;", false, lone.getClassLoader());
        Class.forName("[Ljava.lang.Object;", false, lone.getClassLoader());
        Probe.bind("extended", lone);
        Probe.bind("extended_by_nothing", extended(""));
        Probe.bind("widely_extended", extended(WIDE_EXTENSION));
        Probe.fact("wide_extension", WIDE_EXTENSION);
        for (int version = OLDEST_VERSION; version <= COMPILED_VERSION; version++) {
            byte[] bytes = new EditedClass(Extended.class).ofVersion(version).bytes();
            bytes[MINOR] = (byte) (version == OLDEST_VERSION ? OLDEST_MINOR : 0);
            Probe.bind("version" + version, alone(bytes));
        }
        Probe.bind("lone_loader", lone.getClassLoader());
        Probe.bind("plain", ClassStates.class);
        Probe.bind("array", int[].class);
        Probe.bind("primitive", int.class);
        Probe.bind("loader", loader);
        Probe.fact("extension", EXTENSION);
        int count = 0;
        for (String method : new ClassFile(Failed.class).methods.keySet()) {
            Probe.fact("failed.method-" + count++, method);
        }
        Probe.checkpoint("ready");
    }

    /** Defines a class with this debug extension in a class loader of its own. */
    private static Class<?> extended(String extension) throws Exception {
        return alone(new EditedClass(Extended.class).withAttribute("SourceDebugExtension", extension.getBytes("UTF-8")).bytes());
    }

    private static Class<?> alone(final byte[] bytes) {
        return new ClassLoader(ClassStates.class.getClassLoader()) {
            Class<?> define() {
                return defineClass(Extended.class.getName(), bytes, 0, bytes.length);
            }
        }.define();
    }

    /** A class that is not even linked. */
    static final class Loaded {
        int field;
    }

    /** A class that is initialised. */
    static final class Initialised {
        static final int VALUE = (int) System.nanoTime();
    }

    /** A class whose initialiser throws an exception. */
    static final class Failed {
        static final int VALUE = fail();

        private static int fail() {
            throw new IllegalStateException("the initialiser fails");
        }
    }

    /** A class that is defined with a debug extension. */
    static final class Extended {
    }
}
