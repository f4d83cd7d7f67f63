package jvmticheck.scenarios;

import java.lang.ref.WeakReference;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Objects without identity: since release 28 `java.lang.Integer` is a value class when preview features are enabled.
 * The numbers are ones that no cache holds.
 */
public final class ValueObjects implements Scenario {
    private static final int ALLOCATIONS = 2000;
    /** Offsets in a class file, and the major version that a release 0 would have. */
    private static final int MINOR_AT = 4;
    private static final int MAJOR_AT = 6;
    private static final int MAJOR_OF_RELEASE_0 = 44;
    /** How far before the fields of a class without interfaces its flags are. */
    private static final int FLAGS_BEFORE_FIELDS = 8;
    /** The flag of strictly initialised fields. */
    private static final int ACC_STRICT_INIT = 0x800;
    /** The flag of classes whose objects have identity. */
    private static final int ACC_IDENTITY = 0x20;

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
        bindHolders();
        Class<?> strict = bindStrict();
        Probe.checkpoint("values");
        construct();
        if (strict != null) {
            Class.forName(strict.getName(), true, strict.getClassLoader());
        }
        Probe.checkpoint("constructed");
        allocate();
        Probe.checkpoint("allocated");
        WeakReference<Object> freed = bindDoomed();
        Probe.fact("freed", Reclaimed.collect(freed) ? 1 : 0);
        Probe.checkpoint("collected");
    }

    /** What refers to numbers: arrays, whose elements may be stored in them, and a field. */
    private static void bindHolders() {
        Integer first = (Integer) number(70010);
        Integer second = (Integer) number(70011);
        Probe.bind("first", first);
        Probe.bind("numbers", new Integer[] {first, null, second});
        Probe.bind("objects", new Object[] {first, "identity", second});
        Probe.bind("holder", new Holder(first));
        // Nothing else refers to these numbers and to the parts of this time.
        Probe.bind("stored", new Integer[] {(Integer) number(700200), (Integer) number(700201)});
        Probe.bind("time", LocalDateTime.of(20310, 2, 3, 4, 5));
        Probe.bind("date_class", LocalDate.class);
    }

    /**
     * A class whose static field is strictly initialised. Its class file is one of the preview features of this release, with the flag of
     * the field that no compiler sets without them. It is linked but not initialised. Null: this JVM has no such fields.
     */
    private static Class<?> bindStrict() throws Exception {
        ClassFile file = new ClassFile(Strict.class);
        byte[] bytes = file.bytes.clone();
        int release = Integer.parseInt(System.getProperty("java.specification.version"));
        bytes[MINOR_AT] = (byte) 0xff;
        bytes[MINOR_AT + 1] = (byte) 0xff;
        bytes[MAJOR_AT] = 0;
        bytes[MAJOR_AT + 1] = (byte) (release + MAJOR_OF_RELEASE_0);
        bytes[file.fieldsAt + 2] |= ACC_STRICT_INIT >> 8;
        // An interface has an initialiser and no constructor. As a class it is one that nobody can create objects of.
        bytes[file.fieldsAt - FLAGS_BEFORE_FIELDS] = 0;
        bytes[file.fieldsAt - FLAGS_BEFORE_FIELDS + 1] = ACC_IDENTITY;
        Class<?> strict = null;
        try {
            strict = new FreshLoader(Strict.class).define(Strict.class.getName(), bytes);
            strict.getDeclaredMethods();
        } catch (LinkageError without) {
            // Preview features are disabled, or these are not among them.
        }
        Probe.bind("strict", strict == null ? Strict.class : strict);
        Probe.fact("strict", strict == null ? 0 : 1);
        return strict;
    }

    /** The class file of a class whose only method is its initialiser. */
    interface Strict {
        int FIRST = Integer.parseInt("7");
    }

    /** An object that refers to a number. */
    static final class Holder {
        final Integer number;

        Holder(Integer number) {
            this.number = number;
        }
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
