package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** An interrupted virtual thread that does what the thread of `MethodKinds` does. JDK 21 and newer. */
public final class VirtualInterruptedMethodKinds extends MethodKinds implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, new InterruptedMethodKinds.Interrupted(body));
    }
}
