package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods with locations at which several events happen at once. */
public final class CoLocated implements Scenario {
    static int field;

    @Override
    public void run() {
        field = 5;
        RuntimeException thrown = new IllegalStateException("on purpose");
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", CoLocated.class);
        Probe.bind("thrown", thrown);
        Probe.checkpoint("before");
        int got = get();
        Probe.checkpoint("got");
        Object caught = raise(thrown);
        Probe.checkpoint("raised");
        set(got + 1);
        Probe.checkpoint("after");
        Probe.fact("got", got);
        Probe.fact("caught", caught == thrown ? 1 : 0);
    }

    /** The first instruction reads the field, the second returns. */
    static int get() {
        return field;
    }

    /** The first instruction loads the value, the second writes the field, the third returns. */
    static void set(int value) {
        field = value;
    }

    /** The second instruction throws, and the third catches. */
    static Object raise(RuntimeException exception) {
        try {
            throw exception;
        } catch (RuntimeException caught) {
            return caught;
        }
    }
}
