package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** An interface without default methods, which is not initialised when a class that implements it is, until a field of it is read. */
public final class Superinterfaces implements Scenario {
    private static volatile int initialised;

    @Override
    public void run() throws Exception {
        initialised = 0;
        FreshLoader loader = new FreshLoader(Fresh.class);
        Class<?> type = loader.initialised(FreshHeir.class.getName());
        Class<?> parent = type.getInterfaces()[0];
        Probe.bind("class", type);
        Probe.bind("interface", parent);
        Probe.fact("before", initialised);
        Probe.checkpoint("before");
        parent.getField("VALUE").get(null);
        Probe.fact("after", initialised);
        Probe.checkpoint("after");
    }

    /** Called by the initialiser of the interface. */
    public static int count() {
        return ++initialised;
    }

    /** The interface. */
    public interface Fresh {
        int VALUE = count();
    }

    /** The class. */
    static final class FreshHeir implements Fresh {
    }
}
