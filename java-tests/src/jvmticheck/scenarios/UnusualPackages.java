package jvmticheck.scenarios;

import java.io.OutputStream;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Modules, each in a layer of its own, whose packages have names that are not ASCII, or long. Nothing is loaded from them: a JAR file without
 * a description of a module is enough. By reflection, because this code is compiled for JDK 8. JDK 9 and newer.
 */
public final class UnusualPackages implements Scenario {
    private static final String NAME = "jvmticheck.unusual";
    private static final int LONG = 300;
    /** The name with the supplementary character, U+10400, in modified UTF-8, and its end. */
    private static final byte[] SUPPLEMENTARY = {'o', 'd', 'd', '/', (byte) 0xed, (byte) 0xa0, (byte) 0x81, (byte) 0xed, (byte) 0xb0, (byte) 0x80, 0};

    @Override
    public void run() throws Exception {
        Probe.bind("supplementary_bytes", SUPPLEMENTARY);
        bind("", "\u00e9", "odd/\u4e00\u00e9", "odd/\uD801\uDC00", "odd/ascii");
        try {
            bind("long_", LongNames.repeated('p', LONG));
            Probe.fact("long", 1);
        } catch (InvocationTargetException refused) {
            // A JVM may have a limit for the length of names.
            bind("long_");
            Probe.fact("long", 0);
        }
        Probe.checkpoint("ready");
    }

    /** Binds a module with these packages and its loader, with names that begin so. */
    private static void bind(String prefix, String... packages) throws Exception {
        Path file = Files.createTempFile("jvmticheck", ".jar");
        try {
            write(file, packages);
            bind(prefix, file);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static void write(Path file, String... packages) throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(new Attributes.Name("Automatic-Module-Name"), NAME);
        try (OutputStream out = Files.newOutputStream(file); JarOutputStream jar = new JarOutputStream(out, manifest)) {
            for (String name : packages) {
                jar.putNextEntry(new JarEntry(name + "/Nothing.class"));
                jar.closeEntry();
            }
        }
    }

    private static void bind(String prefix, Path file) throws ReflectiveOperationException {
        Class<?> layers = Class.forName("java.lang.ModuleLayer");
        Class<?> finders = Class.forName("java.lang.module.ModuleFinder");
        Class<?> configurations = Class.forName("java.lang.module.Configuration");
        Object found = finders.getMethod("of", Path[].class).invoke(null, (Object) new Path[] {file});
        Object none = finders.getMethod("of", Path[].class).invoke(null, Array.newInstance(Path.class, 0));
        Object boot = layers.getMethod("boot").invoke(null);
        Object resolved = configurations.getMethod("resolve", finders, finders, Collection.class)
                .invoke(layers.getMethod("configuration").invoke(boot), found, none, Collections.singleton(NAME));
        Object layer = layers.getMethod("defineModulesWithOneLoader", configurations, ClassLoader.class)
                .invoke(boot, resolved, UnusualPackages.class.getClassLoader());
        Object module = ((Optional<?>) layers.getMethod("findModule", String.class).invoke(layer, NAME)).get();
        Probe.bind(prefix + "module", module);
        Probe.bind(prefix + "loader", layers.getMethod("findLoader", String.class).invoke(layer, NAME));
        Probe.bind(prefix + "layer", layer);
    }
}
