package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Checkpoints after many others, in a native method that the JVM has compiled by then. */
public final class HotCheckpoint implements Scenario {
    /** Calls after which HotSpot compiles a native method. */
    private static final int MANY = 20_000;

    static int ofClass = 5;
    int ofObject = 6;
    Object reference = "seven";

    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", HotCheckpoint.class);
        Probe.bind("object", this);
        for (int call = 0; call < MANY; call++) {
            Probe.checkpoint("warming");
        }
        Probe.fact("compiled", Probe.mayHaveCompiled(Probe.class, "checkpoint") ? 1 : 0);
        outer();
        Probe.checkpoint("after");
    }

    private static void outer() {
        Probe.checkpoint("hot");
    }

    /** For the agent to call. */
    static void called() {
        ofClass++;
    }
}
