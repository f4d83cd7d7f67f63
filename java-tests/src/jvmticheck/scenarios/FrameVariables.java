package jvmticheck.scenarios;

import jvmticheck.Probe;

/** Frames with a variable of each type, as parameters of a static method and in the body of an instance method. */
final class FrameVariables {
    /** Slots: reference 0, boolean 1, byte 2, short 3, char 4, int 5, long 6, float 8, double 9, reference 11. */
    static void outer(FrameVariables instance, boolean z, byte b, short s, char c, int i, long j, float f, double d, Object o) {
        instance.middle(i + 1);
        Probe.fact("outer.after", z + " " + b + " " + s + " " + (int) c + " " + i + " " + j + " " + f + " " + d + " " + o);
    }

    /** Slots: this 0, int 1, boolean 2, byte 3, short 4, char 5, long 6, float 8, double 9, reference 11, null 12. */
    void middle(int i) {
        boolean z = false;
        byte b = 12;
        short s = 13;
        char c = 'm';
        long j = i + (1L << 41);
        float f = 16.5f;
        double d = 17.25;
        Object o = this;
        Object nothing = null;
        cross();
        Probe.fact("middle.after", i + " " + z + " " + b + " " + s + " " + (int) c + " " + j + " " + f + " " + d + " "
                + (o == this) + " " + nothing);
    }

    /** Calls Java from a native method: the one that initialises a class, which is native in every release. */
    private static void cross() {
        try {
            new FreshLoader(Boundary.class).initialised("jvmticheck.scenarios.FrameVariables$Boundary");
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A class whose initialiser calls back into Java code. */
    static final class Boundary {
        static {
            Frames.inner(3);
        }
    }
}
