package jvmticheck.scenarios;

/** Finds no class whose name ends with `Missing`. */
final class LackingLoader extends ClassLoader {
    /** How often it was asked for such a class. */
    volatile int failed;

    /** Leaves other classes to the loader of this one. */
    LackingLoader(Class<?> beside) {
        super(beside.getClassLoader());
    }

    /** Defines a class of that name. */
    Class<?> define(Class<?> named, byte[] file) {
        return defineClass(named.getName(), file, 0, file.length);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (name.endsWith("Missing")) {
            failed++;
            throw new ClassNotFoundException(name);
        }
        return super.loadClass(name, resolve);
    }
}
