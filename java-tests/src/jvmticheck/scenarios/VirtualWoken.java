package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** Virtual threads that do what the threads of `Woken` do. JDK 21 and newer. */
public final class VirtualWoken extends Woken implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
