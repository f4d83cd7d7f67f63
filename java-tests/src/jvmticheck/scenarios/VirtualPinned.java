package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A virtual thread that sleeps in synchronized code, where JDK 21 cannot unmount it. JDK 21 and newer. */
public final class VirtualPinned implements Scenario {
    private final Object lock = new Object();
    private volatile boolean slept;
    static volatile Object made;

    @Override
    public void run() throws Exception {
        Thread pinned = Virtual.thread("pinned", new Runnable() {
            @Override
            public void run() {
                synchronized (lock) {
                    try {
                        Thread.sleep(20);
                        slept = true;
                    } catch (InterruptedException interrupted) {
                        throw new IllegalStateException(interrupted);
                    }
                }
            }
        });
        Probe.bind("pinned", pinned);
        Probe.bind("class", VirtualPinned.class);
        Probe.checkpoint("before");
        pinned.start();
        pinned.join();
        Probe.fact("slept", slept ? 1 : 0);
    }

    static void called() {
        made = Thread.currentThread().getName() + new java.util.concurrent.ConcurrentHashMap<String, String>();
    }
}
