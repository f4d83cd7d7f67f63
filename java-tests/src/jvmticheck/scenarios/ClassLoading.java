package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class that is loaded, linked and initialised step by step, by a loader of its own. */
public final class ClassLoading implements Scenario {
    @Override
    public void run() throws Exception {
        Loader loader = new Loader();
        Probe.bind("loader", loader);
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        Class<?> loaded = loader.define("jvmticheck.scenarios.ClassLoading$Fresh");
        Probe.bind("class", loaded);
        Probe.checkpoint("loaded");
        // getMethods links on no VM that we know, forName with initialisation does on all.
        Class.forName(loaded.getName(), true, loader);
        Probe.checkpoint("initialised");
        Probe.fact("class.signature", "L" + loaded.getName().replace('.', '/') + ";");
    }

    /** The class that gets loaded; never used by its name here. */
    public static final class Fresh {
        static final long BORN = System.nanoTime();
        int field;

        int method() {
            return field;
        }
    }

    private static final class Loader extends ClassLoader {
        Loader() {
            super(ClassLoading.class.getClassLoader());
        }

        Class<?> define(String name) throws IOException {
            byte[] bytes = read(name.replace('.', '/') + ".class");
            return defineClass(name, bytes, 0, bytes.length);
        }

        private byte[] read(String resource) throws IOException {
            try (InputStream in = getResourceAsStream(resource)) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                byte[] buffer = new byte[4096];
                for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                    out.write(buffer, 0, n);
                }
                return out.toByteArray();
            }
        }
    }
}
