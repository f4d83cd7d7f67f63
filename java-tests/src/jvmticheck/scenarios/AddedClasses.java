package jvmticheck.scenarios;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * JAR files that an agent may add to the search of a class loader between `ready` and `after`. Both contain a class
 * `Both`; only the second contains a class `Only`; the first contains another version of `Twin`, which is on the class
 * path. A class file `Here` is in the working folder. All names but `Twin` are new in each run.
 */
public final class AddedClasses implements Scenario {
    private static final String TWIN = "jvmticheck/scenarios/Twin";

    @Override
    public void run() throws Exception {
        String prefix = "jvmticheck/added/In" + System.nanoTime();
        String both = prefix + "Both";
        String only = prefix + "Only";
        String late = prefix + "Late";
        String here = "In" + System.nanoTime() + "Here";
        File first = jar(new String[] {both, "first", TWIN, "first", late, "first"});
        File second = jar(new String[] {both, "second", only, "second"});
        File folder = first.getParentFile();
        File file = new File(here + ".class").getAbsoluteFile();
        file.deleteOnExit();
        try (FileOutputStream out = new FileOutputStream(file)) {
            out.write(new EditedClass(Twin.class).with("class path", "folder").with(TWIN, here).bytes());
        }
        bind("first_jar", first);
        bind("second_jar", second);
        bind("folder", folder);
        Class<?> asking = new FreshLoader(Asking.class).define(Asking.class.getName(),
                new EditedClass(Asking.class).with(Late.class.getName().replace('.', '/'), late).bytes());
        String path = System.getProperty("java.class.path", "");
        Probe.fact("class.path.elements", path.split(File.pathSeparator).length);
        Probe.fact("late.before", linked(asking));
        Probe.checkpoint("ready");
        state("both", both);
        state("only", only);
        state("twin", TWIN);
        state("here", here);
        Probe.fact("late.after", linked(asking));
        Probe.fact("appended", Appending.appended == null ? "" : Appending.appended);
        Probe.fact("appended-is-first", first.getPath().equals(Appending.appended) ? 1 : 0);
        Probe.checkpoint("after");
    }

    /** Binds the bytes of a path as C expects it, with a terminating zero. */
    static void bind(String name, File path) throws IOException {
        Probe.bind(name, (path.getPath() + "\0").getBytes("UTF-8"));
    }

    /** Creates a JAR file with these versions of `Twin`; names and origins alternate. */
    static File jar(String... classes) throws IOException {
        File file = File.createTempFile("jvmticheck", ".jar");
        write(file, classes);
        return file;
    }

    /** The same under that name. The file goes with the JVM. */
    static void write(File file, String... classes) throws IOException {
        file.deleteOnExit();
        try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(file))) {
            for (int i = 0; i < classes.length; i += 2) {
                zip.putNextEntry(new ZipEntry(classes[i] + ".class"));
                EditedClass version = new EditedClass(Twin.class).with("class path", classes[i + 1]);
                zip.write(classes[i].equals(TWIN) ? version.bytes() : version.with(TWIN, classes[i]).bytes());
                zip.closeEntry();
            }
        }
    }

    /** States where a class comes from and which class loader has it. */
    static void state(String name, String type) throws ReflectiveOperationException {
        String origin = "none";
        String loader = "none";
        try {
            Class<?> found = Class.forName(type.replace('/', '.'), true, ClassLoader.getSystemClassLoader());
            origin = (String) found.getMethod("origin").invoke(null);
            loader = found.getClassLoader() == null ? "bootstrap" : "system";
        } catch (ClassNotFoundException none) {
            // The facts already say that there is no such class.
        }
        Probe.fact(name + ".origin", origin);
        Probe.fact(name + ".loader", loader);
    }

    /** The result of resolving the reference in `Asking`. */
    private static String linked(Class<?> asking) throws ReflectiveOperationException {
        try {
            return (String) asking.getMethod("ask").invoke(null);
        } catch (InvocationTargetException e) {
            return e.getCause().getClass().getSimpleName();
        }
    }

    /** Stands in for the class whose name is new in each run. */
    static final class Late {
        private Late() {
        }

        static String origin() {
            return "";
        }
    }

    /** Refers to a class that an agent may add later. */
    public static final class Asking {
        private Asking() {
        }

        /** Where that class comes from. */
        public static String ask() {
            return Late.origin();
        }
    }

    /** A system class loader to which agents seem able to add a JAR file. */
    public static final class Appending extends ClassLoader {
        static volatile String appended;

        public Appending(ClassLoader parent) {
            super(parent);
        }

        private void appendToClassPathForInstrumentation(String path) {
            appended = path;
        }
    }

    /** A system class loader that throws an exception when an agent adds a JAR file. */
    public static final class Refusing extends ClassLoader {
        public Refusing(ClassLoader parent) {
            super(parent);
        }

        private void appendToClassPathForInstrumentation(String path) {
            throw new IllegalStateException(path);
        }
    }

    /** A system class loader to which agents cannot add anything. */
    public static final class Closed extends ClassLoader {
        public Closed(ClassLoader parent) {
            super(parent);
        }
    }
}
