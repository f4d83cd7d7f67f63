package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A virtual thread from its start to its end. JDK 21 and newer. */
public final class VirtualLifeCycle implements Scenario {
    @Override
    public void run() throws Exception {
        Thread worker = Virtual.thread("worker", new Runnable() {
            @Override
            public void run() {
                Probe.checkpoint("started");
            }
        });
        Probe.bind("worker", worker);
        Probe.checkpoint("before");
        worker.start();
        worker.join();
        Probe.checkpoint("after");
    }
}
