package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `MonitorKinds` with threads that are interrupted while they wait to enter. */
public final class InterruptedMonitorKinds extends MonitorKinds implements Scenario {
    @Override
    boolean isInterrupted() {
        return true;
    }
}
