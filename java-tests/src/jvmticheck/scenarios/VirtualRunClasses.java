package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** RunClasses, on a virtual thread, which marks its checkpoint. JDK 21 and newer. */
public final class VirtualRunClasses implements Scenario {
    @Override
    public void run() throws Exception {
        Virtual.run("caller", new RunClasses());
    }
}
