package jvmticheck.scenarios;

import java.lang.ref.WeakReference;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Objects without identity: since release 28 `java.lang.Integer` is a value class when preview features are enabled.
 * The numbers are ones that no cache holds.
 */
public final class ValueObjects implements Scenario {
    /** How many collections to request; JVMs that obey need one or two. */
    private static final int ATTEMPTS = 50;
    private static final int ALLOCATIONS = 2000;

    /** Visible to other threads, so that no allocation can be optimised away. */
    static volatile Object kept;

    @Override
    public void run() throws Exception {
        Probe.bind("value", number(70000));
        Probe.bind("equal", number(70000));
        Probe.bind("different", number(70001));
        Probe.bind("value_class", Integer.class);
        Probe.bind("identity_class", String.class);
        Probe.bind("array_class", int[].class);
        Probe.bind("interface", Runnable.class);
        Probe.bind("primitive", int.class);
        Probe.checkpoint("values");
        construct();
        Probe.checkpoint("constructed");
        allocate();
        Probe.checkpoint("allocated");
        WeakReference<Object> freed = bindDoomed();
        for (int attempt = 0; attempt < ATTEMPTS && freed.get() != null; attempt++) {
            System.gc();
        }
        Probe.fact("freed", freed.get() == null ? 1 : 0);
        Probe.checkpoint("collected");
    }

    /** One object of each of some classes of the JDK, the last of which has identity. */
    private static void construct() {
        kept = number(70002);
        kept = Long.valueOf(70003);
        kept = Double.valueOf(70004);
        kept = Optional.of("value");
        kept = new AtomicInteger(70005);
    }

    /** A value object and another object, bound at `doomed` and unbound after it. */
    private static WeakReference<Object> bindDoomed() {
        Object identity = new Object();
        Probe.bind("doomed_value", number(80000));
        Probe.bind("doomed_identity", identity);
        Probe.checkpoint("doomed");
        Probe.bind("doomed_value", null);
        Probe.bind("doomed_identity", null);
        return new WeakReference<Object>(identity);
    }

    /** Allocates enough for the new sampling interval to take effect, and then the values. */
    private static void allocate() throws ReflectiveOperationException {
        for (int i = 0; i < ALLOCATIONS; i++) {
            kept = new byte[1000];
        }
        Object[] values = new Object[ALLOCATIONS];
        for (int i = 0; i < ALLOCATIONS; i++) {
            values[i] = number(90000 + i);
        }
        kept = values;
        // The JVM itself may create the object that holds the result.
        kept = ValueObjects.class.getMethod("result").invoke(null);
        kept = null;
    }

    /** A number that becomes an object when reflection returns it. */
    public static int result() {
        return 95000;
    }

    private static Object number(int number) {
        return Integer.valueOf(number);
    }
}
