package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** A virtual thread that does what the thread of `HotHandlers` does. JDK 21 and newer. */
public final class VirtualHotHandlers extends HotHandlers implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
