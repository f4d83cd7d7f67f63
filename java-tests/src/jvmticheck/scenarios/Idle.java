package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Does nothing but mark a moment in the live phase. */
public final class Idle implements Scenario {
    @Override
    public void run() {
        Probe.checkpoint("idle");
    }
}
