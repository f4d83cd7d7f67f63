package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `AwaitedInitialiser` with a virtual thread that needs the class. JDK 21 and newer. */
public final class VirtualAwaitedInitialiser extends AwaitedInitialiser implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
