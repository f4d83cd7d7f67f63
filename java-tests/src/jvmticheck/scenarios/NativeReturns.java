package jvmticheck.scenarios;

import java.lang.reflect.Array;
import java.lang.reflect.Modifier;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * The methods of `java.lang.reflect.Array`, which return values of each type, called once and after many calls. In most class libraries
 * they are native.
 */
public final class NativeReturns implements Scenario {
    private static final int OFTEN = 20000;
    private static final Object ELEMENT = "element";

    private static volatile double sum;

    private final boolean[] booleans = {false, true};
    private final byte[] bytes = {0, -2};
    private final short[] shorts = {0, -3};
    private final char[] chars = {0, 0x444};
    private final int[] ints = {0, -5};
    private final long[] longs = {0, -6L << 40};
    private final float[] floats = {0, -7.5f};
    private final double[] doubles = {0, -8.25};
    private final Object[] objects = {null, ELEMENT};

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("element", ELEMENT);
        int modifiers = Array.class.getMethod("getInt", Object.class, int.class).getModifiers();
        Probe.fact("native", Modifier.isNative(modifiers) ? 1 : 0);
        Probe.checkpoint("cold");
        all();
        Probe.checkpoint("called");
        if (Probe.isUsed("hot")) {
            for (int i = 0; i < OFTEN; i++) {
                all();
            }
        }
        Probe.checkpoint("hot");
        all();
        Probe.checkpoint("done");
    }

    private void all() {
        boolean z = Array.getBoolean(booleans, 1);
        byte b = Array.getByte(bytes, 1);
        short s = Array.getShort(shorts, 1);
        char c = Array.getChar(chars, 1);
        int i = Array.getInt(ints, 1);
        long j = Array.getLong(longs, 1);
        float f = Array.getFloat(floats, 1);
        double d = Array.getDouble(doubles, 1);
        Object o = Array.get(objects, 1);
        Array.setInt(ints, 0, i);
        int thrown = 0;
        try {
            thrown = Array.getInt(ints, 2);
        } catch (ArrayIndexOutOfBoundsException expected) {
            thrown = 1;
        }
        sum += (z ? 1 : 0) + b + s + c + i + j + f + d + o.hashCode() + thrown;
    }
}
