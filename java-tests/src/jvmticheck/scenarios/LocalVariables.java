package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Variables of each type. The static `own` and the instance method `instance` mark the checkpoints of these names on
 * the main thread; another thread spins in `spin`, called by `other`, while the main thread marks `spinning`. All of
 * these methods state what their variables hold at the end.
 */
public final class LocalVariables implements Scenario {
    static final Object FIRST = "first";
    static final Object SECOND = "second";

    @Override
    public void run() throws Exception {
        Probe.bind("first", FIRST);
        Probe.bind("second", SECOND);
        Probe.bind("this", this);
        Probe.bind("thrown", new Exception("of another type"));
        Probe.bind("main", Thread.currentThread());
        own(true, (byte) -2, (short) -3, '\u0444', 5, 6L << 40, 7.5f, 8.25, FIRST);
        instance(9);
        scopes(3);
        try (Stage stage = new Stage()) {
            VariableHolder holder = new VariableHolder(stage.bodies);
            Probe.bind("holder", holder);
            stage.start(stage.cast("other", holder), State.RUNNABLE, "spin");
            Probe.await("the thread to spin", holder);
            Probe.fact("other.id", stage.thread("other").getId());
            Probe.checkpoint("spinning");
        }
        Probe.checkpoint("after");
    }

    /** Slots: boolean 0, byte 1, short 2, char 3, int 4, long 5, float 7, double 8, reference 10. */
    static void own(boolean z, byte b, short s, char c, int i, long j, float f, double d, Object o) {
        Probe.checkpoint("own");
        VariableHolder.state("own", z, b, s, c, i, j, f, d, o);
    }

    /** Slots: this 0, int 1. */
    void instance(int i) {
        Probe.checkpoint("instance");
        Probe.fact("instance.i", i);
        Probe.fact("instance.this", this.getClass() == LocalVariables.class ? 1 : 0);
    }

    /** Slots: int 0; then an int 1 and, after its scope has ended, a reference in its place. */
    static void scopes(int i) {
        int sum = i;
        {
            int scoped = sum * 2;
            Probe.checkpoint("first_scope");
            sum += scoped;
        }
        {
            Object scoped = FIRST;
            Probe.checkpoint("second_scope");
            sum += scoped.hashCode();
        }
        Probe.fact("scopes.sum", sum);
    }
}
