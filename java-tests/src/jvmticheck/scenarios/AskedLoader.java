package jvmticheck.scenarios;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Defines some of the classes within another one itself, and acts when it is asked for a class that it has not loaded. */
abstract class AskedLoader extends ClassLoader {
    private final Map<String, byte[]> files = new HashMap<String, byte[]>();
    private final Class<?> outer;

    AskedLoader(Class<?> outer, Class<?>... types) {
        super(outer.getClassLoader());
        this.outer = outer;
        try {
            for (Class<?> type : types) {
                files.put(type.getName(), new EditedClass(type).bytes());
            }
        } catch (IOException failed) {
            throw new IllegalStateException(failed);
        }
    }

    /** Does what this loader does before it loads the class of that name within the other one. */
    abstract void asked(String name) throws ClassNotFoundException;

    /** Makes an object of the class of that name within the other one. */
    Runnable make(String name) {
        try {
            return (Runnable) loadClass(outer.getName() + "$" + name).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException failed) {
            throw new IllegalStateException(failed);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            String prefix = outer.getName() + "$";
            if (name.startsWith(prefix)) {
                asked(name.substring(prefix.length()));
            }
            byte[] file = files.get(name);
            return file != null ? defineClass(name, file, 0, file.length) : super.loadClass(name, resolve);
        }
    }
}
