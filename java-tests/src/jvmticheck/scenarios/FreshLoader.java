package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/** Defines classes whose names start with a prefix itself, anew in every run, and leaves other classes to its parent. */
final class FreshLoader extends ClassLoader {
    private final String prefix;

    FreshLoader(Class<?> prefix) {
        super(prefix.getClassLoader());
        this.prefix = prefix.getName();
    }

    /** Returns the class of that name, defined by this loader and initialised. */
    Class<?> initialised(String name) throws ClassNotFoundException {
        return Class.forName(name, true, this);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(prefix)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    /** Defines a class from a class file. */
    Class<?> define(String name, byte[] bytes) {
        return defineClass(name, bytes, 0, bytes.length);
    }

    /** Defines the class, and does not link or initialise it. */
    Class<?> define(String name) throws ClassNotFoundException {
        try {
            byte[] bytes = read(name.replace('.', '/') + ".class");
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** Gives the class signers. */
    void sign(Class<?> type, Object... signers) {
        setSigners(type, signers);
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
