package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Writes an array to an instance field and one to a static field, both of array types. */
public final class ArrayFields implements Scenario {
    static Object[] shared;

    int[] own;

    @Override
    public void run() throws Exception {
        int[] numbers = {1};
        Object[] objects = {"object"};
        Probe.bind("class", ArrayFields.class);
        Probe.bind("numbers", numbers);
        Probe.bind("objects", objects);
        Probe.checkpoint("before");
        this.own = numbers;
        shared = objects;
        Probe.checkpoint("after");
    }
}
