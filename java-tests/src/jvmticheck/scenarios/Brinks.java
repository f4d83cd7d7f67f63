package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Passes the least, the greatest and some special values of each type through methods, fields, static fields and local variables. */
public final class Brinks implements Scenario {
    private static final String[] SETS = {"least", "greatest", "special", "zeros"};

    @Override
    public void run() throws Exception {
        Passing passing = new Passing();
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", Passing.class);
        Probe.bind("passing", passing);
        Object[] array = new int[0][];
        Probe.bind("array", array);
        Probe.bind("text", "text");
        for (String set : SETS) {
            // Every class that is needed has been loaded before.
            pass(passing, set, array);
            Probe.checkpoint(set);
            pass(passing, set, array);
            Probe.checkpoint("passed");
            hold(passing, set, array);
        }
    }

    private static void pass(Passing to, String set, Object[] array) {
        if (set.equals("least")) {
            to.all(false, (byte) -128, '\0', (short) -32768, Integer.MIN_VALUE, Long.MIN_VALUE,
                Float.NEGATIVE_INFINITY, Double.NEGATIVE_INFINITY, null);
        } else if (set.equals("greatest")) {
            to.all(true, (byte) 127, '\uffff', (short) 32767, Integer.MAX_VALUE, Long.MAX_VALUE,
                Float.MAX_VALUE, Double.MAX_VALUE, array);
        } else if (set.equals("special")) {
            to.all(true, (byte) -1, '\u8000', (short) -1, -1, 1L << 32, Float.NaN, Double.NaN, "text");
        } else {
            to.all(false, (byte) 0, '\0', (short) 0, 0, 0, -0.0f, -0.0, null);
        }
    }

    private static void hold(Passing to, String set, Object[] array) {
        if (set.equals("least")) {
            to.hold(set, false, (byte) -128, '\0', (short) -32768, Integer.MIN_VALUE, Long.MIN_VALUE,
                Float.NEGATIVE_INFINITY, Double.NEGATIVE_INFINITY, null);
        } else if (set.equals("greatest")) {
            to.hold(set, true, (byte) 127, '\uffff', (short) 32767, Integer.MAX_VALUE, Long.MAX_VALUE,
                Float.MAX_VALUE, Double.MAX_VALUE, array);
        } else if (set.equals("special")) {
            to.hold(set, true, (byte) -1, '\u8000', (short) -1, -1, 1L << 32, Float.NaN, Double.NaN, "text");
        } else {
            to.hold(set, false, (byte) 0, '\0', (short) 0, 0, 0, -0.0f, -0.0, null);
        }
    }

    /** Its methods write the value that they are given to two fields, and return it. */
    static final class Passing {
        static boolean sz;
        static byte sb;
        static char sc;
        static short ss;
        static int si;
        static long sj;
        static float sf;
        static double sd;
        static Object so;
        boolean z;
        byte b;
        char c;
        short s;
        int i;
        long j;
        float f;
        double d;
        Object o;

        void all(boolean z, byte b, char c, short s, int i, long j, float f, double d, Object o) {
            ofBoolean(z);
            ofByte(b);
            ofChar(c);
            ofShort(s);
            ofInt(i);
            ofLong(j);
            ofFloat(f);
            ofDouble(d);
            ofObject(o);
        }

        /** Has a variable of each type in the slots 2 to 12. */
        void hold(String set, boolean z, byte b, char c, short s, int i, long j, float f, double d, Object o) {
            Probe.checkpoint(set + "_held");
            Probe.fact(set + ".z", String.valueOf(z));
            Probe.fact(set + ".b", String.valueOf(b));
            Probe.fact(set + ".c", String.valueOf((int) c));
            Probe.fact(set + ".s", String.valueOf(s));
            Probe.fact(set + ".i", String.valueOf(i));
            Probe.fact(set + ".j", String.valueOf(j));
            Probe.fact(set + ".f", String.valueOf(f));
            Probe.fact(set + ".d", String.valueOf(d));
            Probe.fact(set + ".o", o == null ? "null" : o.getClass().getName());
        }

        boolean ofBoolean(boolean value) {
            z = value;
            sz = value;
            return value;
        }

        byte ofByte(byte value) {
            b = value;
            sb = value;
            return value;
        }

        char ofChar(char value) {
            c = value;
            sc = value;
            return value;
        }

        short ofShort(short value) {
            s = value;
            ss = value;
            return value;
        }

        int ofInt(int value) {
            i = value;
            si = value;
            return value;
        }

        long ofLong(long value) {
            j = value;
            sj = value;
            return value;
        }

        float ofFloat(float value) {
            f = value;
            sf = value;
            return value;
        }

        double ofDouble(double value) {
            d = value;
            sd = value;
            return value;
        }

        Object ofObject(Object value) {
            o = value;
            so = value;
            return value;
        }
    }
}
