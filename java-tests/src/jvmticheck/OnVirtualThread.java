package jvmticheck;

import jvmticheck.scenarios.Virtual;

/** Runs a scenario on a virtual thread, and waits for its end. */
final class OnVirtualThread implements Scenario {
    /** What follows the name of such a scenario. */
    static final String SUFFIX = "/virtual";

    private final Scenario scenario;
    private volatile Throwable failure;

    OnVirtualThread(Scenario scenario) {
        this.scenario = scenario;
    }

    @Override
    public void run() throws Exception {
        Thread thread = Virtual.thread("scenario", new Runnable() {
            @Override
            public void run() {
                try {
                    scenario.run();
                } catch (Throwable thrown) {
                    failure = thrown;
                }
            }
        });
        thread.start();
        thread.join();
        if (failure != null) {
            throw new IllegalStateException(failure);
        }
    }
}
