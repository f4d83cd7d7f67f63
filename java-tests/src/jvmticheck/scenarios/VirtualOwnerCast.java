package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `OwnerCast` with virtual threads. JDK 21 and newer. */
public final class VirtualOwnerCast extends OwnerCast implements Scenario {
    @Override
    String prefix() {
        return "virtual_owner_";
    }

    @Override
    Thread create(String name, Runnable body) throws ReflectiveOperationException {
        return Virtual.thread(name, body);
    }
}
