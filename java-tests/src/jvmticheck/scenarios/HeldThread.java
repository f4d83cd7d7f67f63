package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that ends while the main thread holds the monitor of its Thread object. */
public final class HeldThread implements Scenario {
    @Override
    public void run() throws InterruptedException {
        Thread worker = new Thread(ThreadLifeCycle.started(), "worker");
        Probe.bind("worker", worker);
        Probe.checkpoint("before");
        synchronized (worker) {
            worker.start();
            // The JVM may enter the monitor in order to end the thread.
            Probe.await(worker, Thread.State.BLOCKED, Thread.State.TERMINATED);
        }
        worker.join();
        Probe.checkpoint("after");
    }
}
