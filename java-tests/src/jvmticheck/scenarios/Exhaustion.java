package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Uses up the Java heap, and then tries to create a thread for which no machine has the memory. */
public final class Exhaustion implements Scenario {
    /** More than any address space holds. */
    private static final long STACK = 1L << 50;

    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        Probe.fact("heap.error", heap());
        Probe.checkpoint("heap_exhausted");
        Probe.fact("threads.error", threads());
        Probe.checkpoint("after");
    }

    private static int heap() {
        List<byte[]> all = new ArrayList<byte[]>();
        try {
            while (all.size() < Integer.MAX_VALUE) {
                all.add(new byte[1 << 20]);
            }
            return 0;
        } catch (OutOfMemoryError exhausted) {
            all.clear();
            return 1;
        }
    }

    private static int threads() {
        Thread thread = new Thread(null, new Runnable() {
            @Override
            public void run() {
                // This thread does nothing.
            }
        }, "unaffordable", STACK);
        try {
            thread.start();
            return 0;
        } catch (OutOfMemoryError exhausted) {
            return 1;
        }
    }
}
