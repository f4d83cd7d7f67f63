package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `SelfSuspension` with a virtual thread. JDK 21 and newer. */
public final class VirtualSelfSuspension extends SelfSuspension implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws ReflectiveOperationException {
        return Virtual.thread(name, body);
    }
}
