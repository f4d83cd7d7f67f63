package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The other thread of `Allocations` is virtual. JDK 21 and newer. */
public final class VirtualAllocations extends Allocations implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
