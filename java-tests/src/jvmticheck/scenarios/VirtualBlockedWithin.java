package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `BlockedWithin` with a virtual thread. JDK 21 and newer. */
public final class VirtualBlockedWithin extends BlockedWithin implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws ReflectiveOperationException {
        return Virtual.thread(name, body);
    }
}
