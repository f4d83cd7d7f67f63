package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** A virtual thread from its start to its end. JDK 21 and newer. */
public final class VirtualLifeCycle implements Scenario {
    @Override
    public void run() throws Exception {
        ThreadLifeCycle.lead(Virtual.thread("worker", ThreadLifeCycle.started()));
    }
}
