package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that tells whether it has been interrupted while it marked a checkpoint, and clears its interrupted status. */
public final class SelfInterrupted implements Scenario {
    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        Probe.fact("interrupted", Thread.interrupted() ? 1 : 0);
        Probe.checkpoint("after");
    }
}
