package jvmticheck.scenarios;

import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls of the method `toString` that classes, arrays and interfaces inherit from java.lang.Object, in all ways. */
public final class RootMethods implements Scenario, Callable<String>, Serializable {
    private static final long serialVersionUID = 1;

    /** The constant for the text @ in a class file. */
    private static final String SIGN = "\u0001\u0000\u0001@";
    /** More calls than any JVM takes to link, inflate and compile. */
    private static final int CALLS = 3_000;

    private final transient Method reflected = Object.class.getMethod("toString");
    private final transient MethodHandle handle =
        MethodHandles.lookup().findVirtual(Object.class, "toString", MethodType.methodType(String.class));
    private final transient Object[] objects = {new Object(), new byte[1], new int[2][3], new Object[1], new RootMethods[1][1], this};

    public RootMethods() throws Exception {
    }

    @Override
    public void run() throws Exception {
        Probe.bind("root", Object.class);
        byte[] file = new ClassFile(Object.class).bytes;
        Probe.bind("root_file", file);
        // The class file of another class library may have another constant for the text.
        Probe.fact("sign", new String(file, StandardCharsets.ISO_8859_1).contains(SIGN) ? 1 : 0);
        BeforeAndAfter.tell(this, CALLS);
    }

    @Override
    public String call() throws Exception {
        StringBuilder signs = new StringBuilder();
        for (Object object : objects) {
            add(signs, object.toString());
        }
        add(signs, new long[1].toString());
        add(signs, ((Cloneable) objects[1]).toString());
        add(signs, ((Serializable) objects[3]).toString());
        add(signs, ((Callable<?>) this).toString());
        add(signs, super.toString());
        for (Object object : objects) {
            add(signs, (String) reflected.invoke(object));
        }
        try {
            for (Object object : objects) {
                add(signs, (String) handle.invokeExact(object));
            }
        } catch (Throwable thrown) {
            signs.append(thrown);
        }
        return signs.toString();
    }

    /** Adds the sign that stands between the name of the class and the hash code, which may be the same sign. */
    private static void add(StringBuilder signs, String text) {
        signs.append(text.indexOf('#') >= 0 ? '#' : text.indexOf('@') >= 0 ? '@' : '?');
    }
}
