package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `MonitorKinds` with virtual threads. JDK 21 and newer. */
public final class VirtualMonitorKinds extends MonitorKinds implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
