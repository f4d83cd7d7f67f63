package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Clones an object by the method of `Object`, which has no bytecodes. An agent can have objects of other classes cloned in the same way. */
public final class Clones implements Scenario {
    static volatile Object kept;

    /** What can be cloned. */
    abstract static class Original implements Cloneable {
        final Original copy() throws CloneNotSupportedException {
            return (Original) clone();
        }
    }

    /** The class of the object that the scenario clones. */
    public static final class First extends Original {
    }

    /** The class of the object that an agent has cloned. */
    public static final class Second extends Original {
        private static final Second ORIGINAL = new Second();

        /** For agents. */
        public static void clonedByAgent() throws CloneNotSupportedException {
            kept = ORIGINAL.copy();
        }
    }

    @Override
    public void run() throws Exception {
        First first = new First();
        Probe.bind("main", Thread.currentThread());
        Probe.bind("first", First.class);
        Probe.bind("second", Second.class);
        // So that the agent finds it loaded and initialised.
        Second.clonedByAgent();
        Probe.checkpoint("before");
        kept = first.copy();
        Probe.checkpoint("after");
    }
}
