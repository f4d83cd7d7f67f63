package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** Virtual threads that do what the threads of `NativeRest` do. JDK 21 and newer. */
public final class VirtualNativeRest extends NativeRest implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
