package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A hot method that returns the object of a constant field, so that a compiler may put the object into the code. The method first calls one
 * that reaches the checkpoint. With `-XX:-BackgroundCompilation` the thread waits for the compilation.
 */
public final class CodeConstant implements Scenario {
    private static final int CALLS = 30_000;

    @Override
    public void run() {
        warmUp();
        Probe.checkpoint("before");
        Object result = hot(new OpaqueCall.Reaching());
        Probe.fact("returned", result == null ? 0 : 1);
        Probe.checkpoint("after");
    }

    /** Binds the classes, and calls the method often. */
    static void warmUp() {
        Probe.bind("kept", Kept.class);
        Probe.bind("class", Holding.class);
        OpaqueCall[] calls = OpaqueCall.kinds();
        int made = 0;
        for (int i = 0; i < CALLS; i++) {
            made += hot(calls[i % calls.length]) == null ? 0 : 1;
        }
        Probe.fact("calls", made);
    }

    /** Needs the constant only after the call. */
    static Object hot(OpaqueCall call) {
        call.make();
        return Holding.CONSTANT;
    }

    /** The class of the field. */
    static final class Holding {
        static final Object CONSTANT = new Kept();

        private Holding() {
        }
    }

    /** The class of the object. */
    static final class Kept {
    }
}
