package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls of static methods that, at location 1, have pushed their first argument on the operand stack, and nothing at location 0. */
public final class ForcedOperands implements Scenario {
    /** Objects below which the object moves when garbage is collected. */
    private static final int GARBAGE = 10_000;

    @Override
    public void run() throws Exception {
        List<Object> garbage = new ArrayList<Object>();
        for (int i = 0; i < GARBAGE; i++) {
            garbage.add(new Object());
        }
        Object result = new Object();
        garbage.clear();
        Probe.bind("result", result);
        Probe.checkpoint("before");
        Probe.fact("int", intOf("held", 1) + " " + intOf(1, 1));
        Probe.fact("long", longOf("held", 1) + " " + longOf(1, 1));
        Probe.fact("object", (objectOf("held", 1) == result) + " " + (objectOf(1, 1) == result));
        Probe.checkpoint("after");
    }

    static int intOf(Object held, int more) {
        return number(held, 1);
    }

    static int intOf(int held, int more) {
        return number(held, 1);
    }

    static long longOf(Object held, int more) {
        return number(held, 1);
    }

    static long longOf(int held, int more) {
        return number(held, 1);
    }

    static Object objectOf(Object held, int more) {
        return object(held, 1);
    }

    static Object objectOf(int held, int more) {
        return object(held, 1);
    }

    private static int number(Object held, int more) {
        return more;
    }

    private static int number(int held, int more) {
        return more;
    }

    private static Object object(Object held, int more) {
        return held;
    }

    private static Object object(int held, int more) {
        return "";
    }
}
