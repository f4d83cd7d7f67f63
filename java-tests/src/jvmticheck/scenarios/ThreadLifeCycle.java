package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread from its start to its end. */
public final class ThreadLifeCycle implements Scenario {
    @Override
    public void run() throws InterruptedException {
        Thread worker = new Thread("worker") {
            @Override
            public void run() {
                Probe.checkpoint("started");
            }
        };
        Probe.bind("worker", worker);
        Probe.checkpoint("before");
        worker.start();
        worker.join();
        Probe.checkpoint("after");
    }
}
