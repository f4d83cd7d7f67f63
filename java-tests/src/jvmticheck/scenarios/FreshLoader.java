package jvmticheck.scenarios;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Defines some classes itself, anew in every run, and leaves other classes to its parent. */
class FreshLoader extends ClassLoader {
    private static final Map<String, byte[]> FILES = new ConcurrentHashMap<String, byte[]>();
    private final String prefix;

    /** Defines the classes whose names start with the name of this one. */
    FreshLoader(Class<?> prefix) {
        super(prefix.getClassLoader());
        this.prefix = prefix.getName();
    }

    /** Returns the class of that name, defined by this loader and initialised. */
    Class<?> initialised(String name) throws ClassNotFoundException {
        return Class.forName(name, true, this);
    }

    /** Returns an instance of its class of that name, made by the constructor without parameters. */
    Object made(Class<?> type) throws ReflectiveOperationException {
        return initialised(type.getName()).getDeclaredConstructor().newInstance();
    }

    /** What a thread runs that needs the class of that name to be initialised. */
    Runnable initialisation(final String name) {
        return new Runnable() {
            @Override
            public void run() {
                try {
                    initialised(name);
                } catch (ClassNotFoundException missing) {
                    throw new IllegalStateException(missing);
                }
            }
        };
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!isOwn(name)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    /** Whether it defines the class of that name, for which it is asked. */
    boolean isOwn(String name) {
        return name.startsWith(prefix);
    }

    /** Defines a class from a class file. */
    Class<?> define(String name, byte[] bytes) {
        return defineClass(name, bytes, 0, bytes.length);
    }

    /** Defines the class, and does not link or initialise it. */
    Class<?> define(String name) throws ClassNotFoundException {
        try {
            return define(name, read(name.replace('.', '/') + ".class"));
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }

    /** Gives the class signers. */
    void sign(Class<?> type, Object... signers) {
        setSigners(type, signers);
    }

    private byte[] read(String resource) throws IOException {
        // A JVM runs some scenarios hundreds of times.
        byte[] known = FILES.get(resource);
        if (known == null) {
            known = ClassFile.all(getResourceAsStream(resource));
            FILES.put(resource, known);
        }
        return known;
    }
}
