package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A hidden class, defined by reflection because this code is compiled for JDK 8. JDK 15 and newer. */
public final class HiddenClasses implements Scenario {
    @Override
    public void run() throws Exception {
        Class<?> hidden = define(Concealed.class);
        Object instance = hidden.getDeclaredConstructor().newInstance();
        Method method = hidden.getDeclaredMethod("method");
        method.invoke(instance);
        Probe.bind("main", Thread.currentThread());
        Probe.bind("hidden", hidden);
        Probe.bind("instance", instance);
        Probe.bind("array", Array.newInstance(hidden, 0).getClass());
        Probe.bind("loader", hidden.getClassLoader());
        Probe.bind("class", HiddenClasses.class);
        String name = hidden.getName();
        int slash = name.lastIndexOf('/');
        Probe.fact("signature", "L" + name.substring(0, slash).replace('.', '/') + "." + name.substring(slash + 1) + ";");
        Probe.checkpoint("ready");
        method.invoke(instance);
        Probe.checkpoint("called");
    }

    /** Defines a hidden class from the class file of a class of this package; null where the JVM has no such classes. */
    static Class<?> define(Class<?> like) throws ReflectiveOperationException, IOException {
        Class<?> options;
        try {
            options = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
        } catch (ClassNotFoundException old) {
            return null;
        }
        Object none = Array.newInstance(options, 0);
        Method define = MethodHandles.Lookup.class.getMethod("defineHiddenClass", byte[].class, boolean.class, none.getClass());
        Object lookup = define.invoke(MethodHandles.lookup(), new ClassFile(like).bytes, true, none);
        return ((MethodHandles.Lookup) lookup).lookupClass();
    }

    /** Its class file defines the hidden class. */
    static class Concealed {
        int field;

        Concealed() {
        }

        int method() {
            return field;
        }
    }
}
