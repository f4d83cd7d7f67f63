package jvmticheck;

import java.io.File;
import java.io.IOException;
import java.util.Enumeration;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** Loads all classes of the JAR files in the class path, so that a JVM that writes an archive of its classes when it ends has them in it. */
public final class Archive {
    private static final String CLASS = ".class";

    private Archive() {
    }

    /** Takes no arguments. */
    public static void main(String[] args) throws IOException {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (new File(entry).isFile()) {
                load(entry);
            }
        }
    }

    private static void load(String path) throws IOException {
        try (ZipFile jar = new ZipFile(path)) {
            for (Enumeration<? extends ZipEntry> entries = jar.entries(); entries.hasMoreElements();) {
                String name = entries.nextElement().getName();
                if (name.endsWith(CLASS) && !name.startsWith("META-INF/")) {
                    load(name.substring(0, name.length() - CLASS.length()).replace('/', '.'), Archive.class.getClassLoader());
                }
            }
        }
    }

    private static void load(String name, ClassLoader loader) {
        try {
            Class.forName(name, false, loader);
        } catch (ClassNotFoundException missing) {
            // What cannot be loaded is not in the archive.
        } catch (LinkageError unusable) {
            // Likewise, such as a class that needs a newer release.
        }
    }
}
