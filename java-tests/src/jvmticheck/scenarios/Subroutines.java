package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that is new in each run, of a version of class files that had subroutines. Its method calls the same subroutine from two
 * places, with an object or with a number in a variable that the subroutine leaves alone, and returns the object.
 */
public final class Subroutines extends PassedObject implements Scenario {
    private static final int VARIABLE = 2;
    private static final int[] CODE = {
        0x1b, 0x99, 0, 13, // iload_1, ifeq 14
        0x2a, 0x4d, 0xa8, 0, 17, // aload_0, astore_2, jsr 23
        0xb8, 0, REACH, 0x2c, 0xb0, // invokestatic reach, aload_2, areturn
        0x08, 0x3d, 0xa8, 0, 7, // iconst_5, istore_2, jsr 23
        0x1c, 0x57, 0x01, 0xb0, // iload_2, pop, aconst_null, areturn
        0x4e, 0xa9, 3, // the subroutine: astore_3, ret 3
    };

    public Subroutines() {
        super(OBJECT + "I", 4, CODE, new Variable("variable", OBJECT, VARIABLE, 6, 7));
    }

    @Override
    public void run() throws Exception {
        pass(new Object(), 1);
    }

    /** What the method calls after the subroutine, while the object is in the variable. */
    public static void reach() {
        Probe.checkpoint("after_subroutine");
    }
}
