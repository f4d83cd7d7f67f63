package jvmticheck.scenarios;

import java.lang.reflect.Array;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods without bytecodes that allocate objects, called for the first time and after many calls. */
public final class HotAllocations implements Scenario {
    private static final int OFTEN = 30000;

    private static volatile Object sink;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("cloned_class", Cloned.class);
        Probe.bind("array_class", ArrayOf[].class);
        Probe.bind("made_class", Made[].class);
        Cloned cloned = new Cloned();
        ArrayOf[] array = new ArrayOf[7];
        Probe.checkpoint("cold");
        all(cloned, array, Made.class);
        Probe.checkpoint("called");
        for (int i = 0; i < OFTEN; i++) {
            all(cloned, array, Made.class);
        }
        Probe.checkpoint("hot");
        all(cloned, array, Made.class);
        Probe.checkpoint("done");
    }

    private static void all(Cloned cloned, ArrayOf[] array, Class<?> type) throws CloneNotSupportedException {
        sink = cloned.copy();
        sink = array.clone();
        sink = Array.newInstance(type, 3);
    }

    /** A class with a clone method. */
    static final class Cloned implements Cloneable {
        int value;

        Object copy() throws CloneNotSupportedException {
            return super.clone();
        }
    }

    /** The elements of an array that is cloned. */
    static final class ArrayOf {
    }

    /** The elements of an array that reflection makes. */
    static final class Made {
    }
}
