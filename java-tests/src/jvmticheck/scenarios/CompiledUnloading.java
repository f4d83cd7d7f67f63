package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * As {@link Compiled}; then it is waited, not for long, for an agent that is told of the unloading to interrupt a thread.
 * VMs tell of it some time later, if at all.
 */
public final class CompiledUnloading implements Scenario {
    private static final long PATIENCE = 300;

    @Override
    public void run() throws Exception {
        Thread waiting = new Thread(new Runnable() {
            @Override
            public void run() {
                try {
                    Thread.sleep(PATIENCE);
                } catch (InterruptedException told) {
                    return;
                }
            }
        }, "waiting");
        Probe.bind("waiting", waiting);
        Probe.checkpoint("before");
        Compiled.comeAndGo();
        Probe.checkpoint("unloaded");
        waiting.start();
        waiting.join();
        Probe.checkpoint("after");
    }
}
