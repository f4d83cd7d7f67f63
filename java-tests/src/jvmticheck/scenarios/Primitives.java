package jvmticheck.scenarios;

import java.lang.reflect.Array;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The classes of all primitive types and of void, and the classes of arrays and of matrices of each type. */
public final class Primitives implements Scenario {
    @Override
    public void run() {
        Class<?>[] types = {
            boolean.class, byte.class, char.class, short.class, int.class, long.class, float.class, double.class,
        };
        for (Class<?> type : types) {
            Probe.bind(type.getName(), type);
            Probe.bind(type.getName() + "_array", Array.newInstance(type, 0).getClass());
            Probe.bind(type.getName() + "_matrix", Array.newInstance(type, 0, 0).getClass());
        }
        Probe.bind("void", void.class);
        Probe.checkpoint("ready");
    }
}
