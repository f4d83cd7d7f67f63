package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** Virtual threads that end as the threads of `Endings` do. JDK 21 and newer. */
public final class VirtualEndings extends Endings implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
