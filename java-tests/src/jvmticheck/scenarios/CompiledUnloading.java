package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Like {@link Compiled}; then it waits, not for long, for an agent that learns of the unloading to interrupt a thread.
 * A JVM reports the unloading some time later, if at all.
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
