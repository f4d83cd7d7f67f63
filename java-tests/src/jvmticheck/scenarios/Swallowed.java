package jvmticheck.scenarios;

import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * An exception that is thrown and caught, and methods that return, after native code or the JVM itself has swallowed another
 * exception of the same thread, and while native code calls methods in between.
 */
public final class Swallowed implements Scenario {
    private static final RuntimeException NESTED = new IllegalStateException("thrown and caught while another one is on its way");
    private static Object kept;

    @Override
    public void run() throws IOException {
        RuntimeException thrown = new IllegalStateException("thrown and caught after others");
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", Swallowed.class);
        Probe.bind("thrown", thrown);
        Probe.bind("nested", NESTED);
        if (Probe.isUsed("jar")) {
            AddedClasses.bind("jar", AddedClasses.jar());
        }
        Probe.checkpoint("before");
        int got = outer(1);
        Probe.checkpoint("returned");
        Object caught = raise(thrown);
        Probe.checkpoint("after");
        Probe.fact("got", got);
        Probe.fact("caught", caught == thrown ? 1 : 0);
    }

    /** Its frame is below that of `inner`. */
    static int outer(int value) {
        return inner(value) + 1;
    }

    /** At the checkpoint agents find it on the stack, one frame below `Probe.checkpoint`. */
    static int inner(int value) {
        Probe.checkpoint("inside");
        return value + 1;
    }

    /** The second instruction throws, and the third catches. */
    static Object raise(RuntimeException exception) {
        try {
            throw exception;
        } catch (RuntimeException caught) {
            return caught;
        }
    }

    /** For agents to call: throws an exception that it does not catch. */
    static void failing() {
        throw new IllegalArgumentException("swallowed");
    }

    /** For agents to call. */
    static void returning() {
        kept = NESTED;
    }

    /** For agents to call: has no instruction but the return. */
    static void empty() {
    }

    /** For agents to call: catches what it throws. */
    static void succeeding() {
        kept = raiseNested(NESTED);
    }

    /** As `raise`, at locations of its own: what occurs twice at the same location is told once. */
    private static Object raiseNested(RuntimeException exception) {
        try {
            throw exception;
        } catch (RuntimeException caught) {
            return caught;
        }
    }
}
