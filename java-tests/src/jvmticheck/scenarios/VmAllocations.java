package jvmticheck.scenarios;

import java.lang.reflect.Array;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Objects and arrays that methods of the class library make which have no bytecodes, each of a class that nothing else is made of meanwhile. */
public final class VmAllocations implements Scenario {
    /** What was made last, so that no compiler leaves it out. */
    static volatile Object last;

    @Override
    public void run() throws Exception {
        Part part = new Part();
        Part[] parts = {part, null};
        Probe.bind("main", Thread.currentThread());
        Probe.bind("cloned", Part.class);
        Probe.bind("cloned_array", Part[].class);
        Probe.bind("made_array", Part[][].class);
        Probe.bind("made_matrix", Part[][][][].class);
        Probe.checkpoint("before");
        last = part.copy();
        last = parts.clone();
        last = Array.newInstance(Part[].class, 3);
        last = Array.newInstance(Part.class, 1, 2, 0, 0);
        Probe.checkpoint("after");
    }

    /** An object that can be cloned. */
    static final class Part implements Cloneable {
        Object copy() throws CloneNotSupportedException {
            return clone();
        }
    }
}
