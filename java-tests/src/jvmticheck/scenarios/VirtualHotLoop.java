package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The thread of `HotLoop` is virtual. JDK 21 and newer. */
public final class VirtualHotLoop extends HotLoop implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
