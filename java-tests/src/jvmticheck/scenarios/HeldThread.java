package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that ends while the main thread holds the monitor of its Thread object. */
public final class HeldThread implements Scenario {
    @Override
    public void run() throws InterruptedException {
        final Thread worker = new Thread(ThreadLifeCycle.started(), "worker");
        Probe.bind("worker", worker);
        Probe.checkpoint("before");
        synchronized (worker) {
            worker.start();
            // The JVM may enter the monitor in order to end the thread.
            Probe.await("worker to end, or to wait for the monitor", new Probe.Condition() {
                @Override
                public boolean holds() {
                    Thread.State state = worker.getState();
                    return state == Thread.State.BLOCKED || state == Thread.State.TERMINATED;
                }
            });
        }
        worker.join();
        Probe.checkpoint("after");
    }
}
