package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class whose initialiser assigns a field. */
public final class Assigning implements Scenario {
    static final int VALUE = 5;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Assigned.class);
        Class<?> type = loader.loadClass("jvmticheck.scenarios.Assigning$Assigned");
        Probe.bind("class", type);
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        Class.forName(type.getName(), true, loader);
        Probe.checkpoint("after");
    }

    /** The class. */
    static final class Assigned {
        static int assigned;

        static {
            assigned = VALUE;
        }

        private Assigned() {
        }
    }
}
