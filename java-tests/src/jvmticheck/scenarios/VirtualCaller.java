package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Objects, on a virtual thread, which marks its checkpoint. JDK 21 and newer. */
public final class VirtualCaller implements Scenario {
    @Override
    public void run() throws Exception {
        run(new Objects());
    }

    /** Runs another scenario on a virtual thread, bound to `caller`. */
    static void run(final Scenario scenario) throws Exception {
        final Throwable[] failure = new Throwable[1];
        Thread caller = Virtual.thread("caller", new Runnable() {
            @Override
            public void run() {
                try {
                    scenario.run();
                } catch (Throwable thrown) {
                    failure[0] = thrown;
                }
            }
        });
        Probe.bind("caller", caller);
        caller.start();
        caller.join();
        if (failure[0] != null) {
            throw new IllegalStateException(failure[0]);
        }
    }
}
