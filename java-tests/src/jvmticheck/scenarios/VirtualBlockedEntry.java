package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** A virtual thread that does what the platform thread of `BlockedEntry` does. JDK 21 and newer. */
public final class VirtualBlockedEntry extends BlockedEntry implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
