package jvmticheck;

import jvmticheck.scenarios.Virtual;

/** Runs a scenario on a virtual thread. */
final class OnVirtualThread implements Scenario {
    /** What follows the name of such a scenario. */
    static final String SUFFIX = "/virtual";

    private final Scenario scenario;

    OnVirtualThread(Scenario scenario) {
        this.scenario = scenario;
    }

    @Override
    public void run() throws Exception {
        Virtual.run("scenario", scenario);
    }
}
