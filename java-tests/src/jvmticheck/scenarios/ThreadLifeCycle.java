package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread from its start to its end. */
public final class ThreadLifeCycle implements Scenario {
    @Override
    public void run() throws InterruptedException {
        lead(new Thread(started(), "worker"));
    }

    /** What the thread does. */
    static Runnable started() {
        return new Runnable() {
            @Override
            public void run() {
                Probe.checkpoint("started");
            }
        };
    }

    /** Starts the thread and waits for its end. */
    static void lead(Thread worker) throws InterruptedException {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("worker", worker);
        Probe.checkpoint("before");
        worker.start();
        worker.join();
        Probe.checkpoint("after");
    }
}
