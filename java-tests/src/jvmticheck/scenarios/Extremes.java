package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Values at the ends of the range of each type, in fields, static fields, arrays and strings, and many objects of one class. */
public final class Extremes implements Scenario {
    private static final int MANY = 3000;

    @Override
    public void run() throws Exception {
        Probe.bind("least", new Least());
        Probe.bind("greatest", new Greatest());
        Probe.bind("zero", new Zero());
        Probe.bind("statics", new FreshLoader(Statics.class).initialised(Statics.class.getName()));
        Probe.bind("bytes", new byte[] {-128, 127});
        Probe.bind("shorts", new short[] {-32768, 32767});
        Probe.bind("chars", new char[] {0, 255, 256, 65535});
        Probe.bind("ints", new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE});
        Probe.bind("longs", new long[] {Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, -1L << 32});
        Probe.bind("floats", new float[] {Float.NaN, Float.NEGATIVE_INFINITY, Float.MAX_VALUE, Float.MIN_VALUE, -0.0f});
        Probe.bind("doubles", new double[] {Double.NaN, Double.NEGATIVE_INFINITY, Double.MAX_VALUE, Double.MIN_VALUE, -0.0});
        Probe.bind("no_booleans", new boolean[0]);
        Probe.bind("no_bytes", new byte[0]);
        Probe.bind("no_shorts", new short[0]);
        Probe.bind("no_chars", new char[0]);
        Probe.bind("no_longs", new long[0]);
        Probe.bind("no_floats", new float[0]);
        Probe.bind("no_doubles", new double[0]);
        Probe.bind("one", new String(new char[] {'x'}));
        Probe.bind("latin", new String(new char[] {1, 127, 128, 255}));
        Probe.bind("nul", new String(new char[] {'a', 0, 'b'}));
        Probe.bind("wide", new String(new char[] {0xd800, 0x100, 'a', 0, 0xffff}));
        Holder holder = new Holder();
        holder.itself = holder;
        Probe.bind("holder", holder);
        Probe.bind("nested", holder.nested);
        Probe.bind("inner", holder.nested[1]);
        Probe.bind("grid", holder.grid);
        Probe.bind("row", holder.grid[1]);
        Probe.bind("holder_class", Holder.class);
        Probe.bind("heir", new Heir());
        Probe.bind("heir_class", Heir.class);
        Probe.bind("int_class", int.class);
        Probe.bind("void_class", void.class);
        One[] many = new One[MANY];
        for (int i = 0; i < MANY; i++) {
            many[i] = new One();
        }
        holder.many = many;
        Probe.bind("many", many);
        Probe.bind("one_class", One.class);
        Probe.checkpoint("made");
    }

    /** The least value of each type, in fields of a class without superclass but Object. */
    static final class Least {
        boolean z;
        byte b = -128;
        char c = 0;
        short s = -32768;
        int i = Integer.MIN_VALUE;
        long j = Long.MIN_VALUE;
        float f = Float.NEGATIVE_INFINITY;
        double d = Double.NEGATIVE_INFINITY;
    }

    /** The greatest value of each type, or none at all. */
    static final class Greatest {
        boolean z = true;
        byte b = 127;
        char c = 65535;
        short s = 32767;
        int i = Integer.MAX_VALUE;
        long j = Long.MAX_VALUE;
        float f = Float.NaN;
        double d = Double.NaN;
    }

    /** Nothing but zeros, of which two are negative. */
    static final class Zero {
        boolean z;
        byte b;
        char c;
        short s;
        int i;
        long j;
        float f = -0.0f;
        double d = -0.0;
    }

    /** The same in static fields. */
    static final class Statics {
        static boolean z = true;
        static byte b = -128;
        static char c = 65535;
        static short s = -32768;
        static int i = Integer.MIN_VALUE;
        static long j = (1L << 40) + 3;
        static float f = Float.POSITIVE_INFINITY;
        static double d = Double.MIN_VALUE;
        static Object o = new int[] {5};
    }

    /** Refers to itself and to arrays of arrays. */
    static class Holder {
        Holder itself;
        Object[][] nested = {null, {new Object()}};
        int[][] grid = {{1}, {2, 3}};
        Class<?> type = Holder.class;
        Object many;
    }

    /** Has a superclass. */
    static final class Heir extends Holder {
        Object own = this;
    }

    /** One of many. */
    static final class One {
    }
}
