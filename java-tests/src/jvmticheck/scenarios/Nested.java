package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods that cause an event each, and others that do the same, for agents to call in the callbacks of the former. */
public final class Nested implements Scenario {
    private static final RuntimeException NESTED = new IllegalStateException("thrown and caught in a callback");
    static int read = 1;
    static int written;
    static int innerRead = 2;
    static int innerWritten;
    private static Object kept;

    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", Nested.class);
        Probe.checkpoint("before");
        int sum = called() + reader();
        writer(sum);
        kept = raise(new IllegalStateException("thrown and caught"));
        sum += popped();
        Probe.checkpoint("after");
        Probe.fact("sum", sum);
        Probe.fact("written", written);
    }

    static int called() {
        return 1;
    }

    static int reader() {
        return read;
    }

    static void writer(int value) {
        written = value;
    }

    static Object raise(RuntimeException exception) {
        try {
            throw exception;
        } catch (RuntimeException caught) {
            return caught;
        }
    }

    static int popped() {
        Probe.checkpoint("popping");
        return 3;
    }

    /** For agents to call. */
    static void deed() {
        int sum = innerCalled() + innerReader();
        innerWriter(sum);
        kept = innerRaise(NESTED);
    }

    static int innerCalled() {
        return 1;
    }

    static int innerReader() {
        return innerRead;
    }

    static void innerWriter(int value) {
        innerWritten = value;
    }

    static Object innerRaise(RuntimeException exception) {
        try {
            throw exception;
        } catch (RuntimeException caught) {
            return caught;
        }
    }
}
