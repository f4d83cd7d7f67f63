package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The variable of a catch clause. */
public final class RareVariables implements Scenario {
    private static final IllegalStateException THROWN = new IllegalStateException("thrown");
    private static final IllegalStateException OTHER = new IllegalStateException("other");

    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("thrown", THROWN);
        Probe.bind("other", OTHER);
        Probe.fact("changed", caught(THROWN));
        Probe.checkpoint("after");
    }

    private static int caught(RuntimeException exception) {
        try {
            throw exception;
        } catch (IllegalStateException caught) {
            Probe.checkpoint("caught");
            return caught == OTHER ? 1 : 0;
        }
    }
}
