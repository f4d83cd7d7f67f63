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

    /**
     * Its unused variables make its frames large in an interpreter, so that few fill the stack, which may be much larger than asked for:
     * the C library reuses those of other threads. HotSpot counts all frames that are left for each one that the error leaves.
     */
    static int recurse(int depth) {
        long a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, c0, c1, c2, c3, c4, c5, c6, c7, c8,
            c9, d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, e0, e1, e2, e3, e4, e5, e6, e7, e8, e9;
        deepest = depth;
        return recurse(depth + 1) + 1;
    }
}
