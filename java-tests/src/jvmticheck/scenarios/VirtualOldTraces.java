package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** A virtual thread that does what the thread of `OldTraces` does. JDK 21 and newer. */
public final class VirtualOldTraces extends OldTraces implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
