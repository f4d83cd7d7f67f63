package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;

/**
 * A module `jvmticheck.modular` in a layer of its own, which reads only java.base and exports nothing. It is defined
 * from a directory, by reflection, because this code is compiled for JDK 8.
 */
final class NamedModule {
    static final String NAME = "jvmticheck.modular";
    private static final String CLASS = "Provider.class";

    final Object layer;
    final Object module;
    final ClassLoader loader;
    final Class<?> provider;

    NamedModule() throws Exception {
        Path folder = Files.createTempDirectory("jvmticheck");
        try {
            Path classes = Files.createDirectories(folder.resolve(NAME.replace('.', '/')));
            try (InputStream bytes = NamedModule.class.getResourceAsStream("/jvmticheck/modular/" + CLASS)) {
                Files.copy(bytes, classes.resolve(CLASS));
            }
            Files.write(folder.resolve("module-info.class"), moduleInfo());
            Class<?> layers = Class.forName("java.lang.ModuleLayer");
            layer = define(layers, folder);
            module = ((Optional<?>) layers.getMethod("findModule", String.class).invoke(layer, NAME)).get();
            loader = (ClassLoader) layers.getMethod("findLoader", String.class).invoke(layer, NAME);
            provider = loader.loadClass(NAME + ".Provider");
        } finally {
            delete(folder);
        }
    }

    private static Object define(Class<?> layers, Path folder) throws ReflectiveOperationException {
        Class<?> finders = Class.forName("java.lang.module.ModuleFinder");
        Class<?> configurations = Class.forName("java.lang.module.Configuration");
        Object found = finders.getMethod("of", Path[].class).invoke(null, (Object) new Path[] {folder});
        Object none = finders.getMethod("of", Path[].class).invoke(null, (Object) new Path[0]);
        Object boot = layers.getMethod("boot").invoke(null);
        Object resolved = configurations.getMethod("resolve", finders, finders, Collection.class)
                .invoke(layers.getMethod("configuration").invoke(boot), found, none, Collections.singleton(NAME));
        return layers.getMethod("defineModulesWithOneLoader", configurations, ClassLoader.class)
                .invoke(boot, resolved, NamedModule.class.getClassLoader());
    }

    /** The class file of `module jvmticheck.modular { }`. */
    private static byte[] moduleInfo() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(53);
        out.writeShort(8);
        ConstantPool.text(out, "module-info");  // 1
        ConstantPool.reference(out, 7, 1);      // 2, a class
        ConstantPool.text(out, "Module");       // 3
        ConstantPool.text(out, NAME);           // 4
        ConstantPool.reference(out, 19, 4);     // 5, a module
        ConstantPool.text(out, "java.base");    // 6
        ConstantPool.reference(out, 19, 6);     // 7, a module
        for (int number : new int[] {0x8000, 2, 0, 0, 0, 0, 1, 3}) {
            out.writeShort(number);
        }
        int[] attribute = {5, 0, 0, 1, 7, 0x8000, 0, 0, 0, 0, 0};
        out.writeInt(2 * attribute.length);
        for (int number : attribute) {
            out.writeShort(number);
        }
        return bytes.toByteArray();
    }

    private static void delete(Path path) {
        File[] children = path.toFile().listFiles();
        for (File child : children == null ? new File[0] : children) {
            delete(child.toPath());
        }
        path.toFile().delete();
    }
}
