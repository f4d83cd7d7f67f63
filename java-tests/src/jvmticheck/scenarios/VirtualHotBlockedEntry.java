package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** A virtual thread that does what the platform thread of `HotBlockedEntry` does. JDK 21 and newer. */
public final class VirtualHotBlockedEntry extends HotBlockedEntry implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
