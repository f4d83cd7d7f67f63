package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that is new in each run, with a method whose code uses one slot for a number and then for an object. The range of the one
 * variable ends where that of the other one begins.
 */
public final class AdjacentVariables extends PassedObject implements Scenario {
    private static final int SLOT = 1;
    private static final int[] CODE = {
        0x08, 0x3c, // iconst_5, istore_1
        0, 0x2a, 0x4c, // nop, aload_0, astore_1
        0xb8, 0, REACH, 0x2b, 0xb0, // invokestatic reach, aload_1, areturn
    };

    public AdjacentVariables() {
        super(OBJECT, 2, CODE, new Variable("number", "I", SLOT, 2, 3), new Variable("object", OBJECT, SLOT, 5, 5));
    }

    @Override
    public void run() throws Exception {
        pass(new Object());
    }

    /** What the method calls first of all while the object is in the slot. */
    public static void reach() {
        Probe.checkpoint("stored");
    }
}
