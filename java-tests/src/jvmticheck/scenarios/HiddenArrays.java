package jvmticheck.scenarios;

import java.lang.reflect.Array;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A hidden class and array classes of it. JDK 15 and newer. */
public final class HiddenArrays implements Scenario {
    @Override
    public void run() throws Exception {
        Class<?> hidden = HiddenClasses.define(Element.class);
        String name = hidden.getName();
        int slash = name.lastIndexOf('/');
        String signature = "L" + name.substring(0, slash).replace('.', '/') + "." + name.substring(slash + 1) + ";";
        bind("hidden", hidden, signature);
        bind("array", Array.newInstance(hidden, 0).getClass(), "[" + signature);
        bind("cube", Array.newInstance(hidden, 0, 0, 0).getClass(), "[[[" + signature);
        Probe.bind("loader", HiddenArrays.class.getClassLoader());
        Probe.checkpoint("ready");
    }

    private static void bind(String name, Class<?> type, String signature) {
        Probe.bind(name, type);
        Probe.fact(name, signature);
    }

    /** Its class file defines the hidden class. */
    private static final class Element {
    }
}
