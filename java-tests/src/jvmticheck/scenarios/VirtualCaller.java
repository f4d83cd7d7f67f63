package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** Objects, on a virtual thread, which marks its checkpoint. JDK 21 and newer. */
public final class VirtualCaller implements Scenario {
    @Override
    public void run() throws Exception {
        Virtual.run("caller", new Objects());
    }
}
