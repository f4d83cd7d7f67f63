package jvmticheck.scenarios;

import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Two virtual threads that take turns: the first is parked while the second marks a checkpoint. JDK 21 and newer. */
public final class VirtualTurns implements Scenario {
    private volatile boolean gone;

    @Override
    public void run() throws Exception {
        Thread first = Virtual.thread("first", new Runnable() {
            @Override
            public void run() {
                Probe.checkpoint("first");
                while (!gone) {
                    LockSupport.park(this);
                }
                Probe.checkpoint("first_again");
            }
        });
        Thread second = Virtual.thread("second", new Runnable() {
            @Override
            public void run() {
                Probe.checkpoint("second");
            }
        });
        Probe.bind("first", first);
        Probe.bind("second", second);
        Probe.checkpoint("before");
        first.start();
        Probe.await(first, Thread.State.WAITING);
        second.start();
        second.join();
        gone = true;
        LockSupport.unpark(first);
        first.join();
        Probe.checkpoint("after");
    }
}
