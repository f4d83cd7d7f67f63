package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods at whose locations several events happen at once. */
public final class CoLocated implements Scenario {
    static int field = 5;

    @Override
    public void run() {
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

    /** Its first instruction reads the field, its second one returns. */
    static int get() {
        return field;
    }

    /** Its first instruction loads the value, its second one writes the field, its third one returns. */
    static void set(int value) {
        field = value;
    }

    /** Its second instruction throws, to its third one. */
    static Object raise(RuntimeException exception) {
        try {
            throw exception;
        } catch (RuntimeException caught) {
            return caught;
        }
    }
}
