package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `BlockedAgain` with virtual threads. JDK 21 and newer. */
public final class VirtualBlockedAgain extends BlockedAgain implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws ReflectiveOperationException {
        return Virtual.thread(name, body);
    }
}
