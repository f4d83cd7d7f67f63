package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Daemon threads that call a method again and again, and do not end before the JVM does. */
public final class Outliving implements Scenario {
    private static volatile int calls;

    @Override
    public void run() {
        Thread first = start("first");
        Thread second = start("second");
        Probe.bind("first", first);
        Probe.bind("second", second);
        Probe.checkpoint("running");
    }

    private static Thread start(String name) {
        Thread thread = new Thread(new Runnable() {
            @Override
            public void run() {
                while (true) {
                    step();
                }
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    static void step() {
        calls++;
    }
}
