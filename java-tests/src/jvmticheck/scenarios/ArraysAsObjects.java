package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls a method of Object on arrays, which have no class file of their own, and on objects that inherit it. */
public final class ArraysAsObjects implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("object_class", Object.class);
        Probe.bind("object_file", ClassFile.read(Object.class));
        List<Object> all = objects();
        Probe.fact("before", changed(all));
        Probe.checkpoint("ready");
        all.addAll(objects());
        all.add(new Object[0][0][0][0]);
        Probe.fact("changed", changed(all));
        Probe.fact("count", all.size());
        Probe.checkpoint("after");
    }

    private static List<Object> objects() {
        List<Object> all = new ArrayList<Object>();
        all.add(new Object());
        all.add(new ArraysAsObjects());
        all.add(new int[0]);
        all.add(new boolean[1][0]);
        all.add(new Object[0]);
        all.add(new ArraysAsObjects[0]);
        all.add(new String[0][0]);
        all.add(new Runnable[1]);
        return all;
    }

    /** How many of the texts have a hash sign in the place of the at sign. */
    private static int changed(List<Object> all) {
        int changed = 0;
        for (Object each : all) {
            changed += each.toString().indexOf('#') >= 0 ? 1 : 0;
        }
        return changed;
    }
}
