package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** Virtual threads that do what the platform threads of `Contended` do. JDK 21 and newer. */
public final class VirtualContended extends Contended implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
