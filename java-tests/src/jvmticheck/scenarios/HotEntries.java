package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that spins in a synchronized method that another one of the same object calls; both have been called often before. */
public final class HotEntries implements Scenario {
    /** Calls that are enough for a compiler to take notice, and rounds of each. */
    private static final int OFTEN = 60000;
    private static final int FEW = 20;

    private volatile boolean over;
    private int rounds;

    @Override
    public void run() throws Exception {
        Probe.bind("entered", this);
        for (int i = 0; i < OFTEN; i++) {
            outer(FEW);
        }
        Thread owner = Stage.daemon("owner", new Runnable() {
            @Override
            public void run() {
                outer(Long.MAX_VALUE);
            }
        });
        Probe.bind("owner", owner);
        // The Zero VM, which compiles nothing, cannot stop a thread in a loop that neither calls nor allocates.
        boolean compiled = Probe.isCompiled(HotEntries.class, "outer");
        Probe.fact("compiled", compiled ? 1 : 0);
        if (compiled) {
            owner.start();
            Probe.awaitStackTop(owner, "inner");
        }
        Probe.checkpoint("held");
        over = true;
        owner.join();
        Probe.checkpoint("after");
    }

    synchronized void outer(long most) {
        inner(most);
    }

    synchronized void inner(long most) {
        for (long i = 0; i < most; i++) {
            if (over) {
                return;
            }
            rounds++;
        }
    }
}
