package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread with a small stack that calls a method within itself until the stack overflows, and catches the error. */
public final class Overflowing implements Scenario {
    private static final long STACK = 300 * 1024;

    private static int deepest;

    @Override
    public void run() throws Exception {
        Thread thread = new Thread(null, new Runnable() {
            @Override
            public void run() {
                Probe.checkpoint("before");
                outer();
                Probe.checkpoint("after");
            }
        }, "overflowing", STACK);
        thread.setDaemon(true);
        Probe.bind("overflowing", thread);
        thread.start();
        thread.join();
        Probe.fact("deep", deepest > 10 ? 1 : 0);
    }

    static void outer() {
        try {
            deepest = 0;
            recurse(1);
        } catch (StackOverflowError caught) {
            deepest++;
        }
    }

    static int recurse(int depth) {
        deepest = depth;
        return recurse(depth + 1) + 1;
    }
}
