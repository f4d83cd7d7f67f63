package jvmticheck.scenarios;

import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A hidden class, defined by reflection because this code is compiled for JDK 8. JDK 15 and newer. */
public final class HiddenClasses implements Scenario {
    @Override
    public void run() throws Exception {
        Class<?> options = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
        Method define = MethodHandles.Lookup.class.getMethod("defineHiddenClass", byte[].class, boolean.class,
                Array.newInstance(options, 0).getClass());
        byte[] bytes = new ClassFile(Concealed.class).bytes;
        Object lookup = define.invoke(MethodHandles.lookup(), bytes, true, Array.newInstance(options, 0));
        Class<?> hidden = ((MethodHandles.Lookup) lookup).lookupClass();
        Object instance = hidden.getDeclaredConstructor().newInstance();
        Probe.bind("hidden", hidden);
        Probe.bind("instance", instance);
        Probe.bind("array", Array.newInstance(hidden, 0).getClass());
        Probe.bind("loader", hidden.getClassLoader());
        Probe.bind("class", HiddenClasses.class);
        String name = hidden.getName();
        int slash = name.lastIndexOf('/');
        Probe.fact("signature", "L" + name.substring(0, slash).replace('.', '/') + "." + name.substring(slash + 1) + ";");
        Probe.checkpoint("ready");
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
