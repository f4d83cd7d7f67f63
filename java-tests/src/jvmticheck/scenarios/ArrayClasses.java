package jvmticheck.scenarios;

import java.lang.reflect.Array;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Two classes of a class loader of their own, one after the other, and then array classes of them. */
public final class ArrayClasses implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(ArrayClasses.class);
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        Class<?> first = loader.define("jvmticheck.scenarios.ArrayClasses$First");
        Class<?> second = loader.define("jvmticheck.scenarios.ArrayClasses$Second");
        Probe.bind("first", first);
        Probe.bind("second", second);
        Probe.checkpoint("loaded");
        Class.forName(first.getName(), true, loader);
        Class.forName(second.getName(), true, loader);
        Probe.checkpoint("initialised");
        Object array = Array.newInstance(first, 1, 1);
        Probe.bind("array", array.getClass());
        Probe.bind("inner_array", array.getClass().getComponentType());
        Probe.bind("array_by_name", Class.forName("[[[L" + second.getName() + ";", true, loader));
        Probe.bind("primitive_array", Array.newInstance(int.class, 1, 1, 1, 1).getClass());
        Probe.bind("primitive", int.class);
        Probe.checkpoint("arrays");
    }

    /** A class with members. */
    static final class First implements Runnable {
        static final long BORN = System.nanoTime();
        int number;

        @Override
        public void run() {
            number++;
        }
    }

    /** A class without members. */
    static final class Second {
    }
}
