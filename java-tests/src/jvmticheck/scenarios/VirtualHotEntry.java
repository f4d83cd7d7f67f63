package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `HotEntry` with a virtual thread. JDK 21 and newer. */
public final class VirtualHotEntry extends HotEntry implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws ReflectiveOperationException {
        return Virtual.thread(name, body);
    }
}
