package jvmticheck.scenarios;

import java.lang.reflect.Array;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Methods that return arrays, null and negative numbers, an initialiser that throws, and methods of `java.lang.reflect.Array`, which are
 * native in most class libraries, that return null and the extremes of their types.
 */
public final class UncommonResults implements Scenario {
    private static final int[] ARRAY = {1};
    private static final Object[][] MATRIX = {};
    private static final IllegalStateException THROWN = new IllegalStateException("thrown by an initialiser");

    private static volatile Object last;
    private static volatile double sum;

    private final boolean[] booleans = {false};
    private final byte[] bytes = {Byte.MIN_VALUE};
    private final short[] shorts = {Short.MIN_VALUE};
    private final char[] chars = {Character.MAX_VALUE};
    private final int[] ints = {Integer.MIN_VALUE};
    private final long[] longs = {Long.MIN_VALUE};
    private final float[] floats = {-0.0f};
    private final double[] doubles = {Double.NaN};
    private final Object[] objects = {null, ARRAY};

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("array", ARRAY);
        Probe.bind("matrix", MATRIX);
        FreshLoader loader = new FreshLoader(Failing.class);
        Probe.checkpoint("before");
        sum = negative();
        last = array();
        last = matrix();
        last = noArray();
        last = noObject();
        try {
            loader.initialised(Failing.class.getName());
        } catch (ExceptionInInitializerError expected) {
            last = expected;
        }
        natives();
        Probe.checkpoint("after");
    }

    static int negative() {
        return -70_000;
    }

    static int[] array() {
        return ARRAY;
    }

    static Object[][] matrix() {
        return MATRIX;
    }

    static long[] noArray() {
        return null;
    }

    static Object noObject() {
        return null;
    }

    /** What `Failing`, which is in another run-time package, throws. */
    public static RuntimeException thrown() {
        return THROWN;
    }

    private void natives() {
        boolean z = Array.getBoolean(booleans, 0);
        byte b = Array.getByte(bytes, 0);
        short s = Array.getShort(shorts, 0);
        char c = Array.getChar(chars, 0);
        int i = Array.getInt(ints, 0);
        long j = Array.getLong(longs, 0);
        float f = Array.getFloat(floats, 0);
        double d = Array.getDouble(doubles, 0);
        last = Array.get(objects, 0);
        last = Array.get(objects, 1);
        sum += (z ? 1 : 0) + b + s + c + i + j + f + d;
    }

    /** A class whose initialiser throws itself. */
    static final class Failing {
        static {
            if (thrown() != null) {
                throw thrown();
            }
        }
    }
}
