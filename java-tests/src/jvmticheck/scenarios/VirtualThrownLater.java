package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `ThrownLater` with virtual threads. JDK 21 and newer. */
public final class VirtualThrownLater extends ThrownLater implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws ReflectiveOperationException {
        return Virtual.thread(name, body);
    }
}
