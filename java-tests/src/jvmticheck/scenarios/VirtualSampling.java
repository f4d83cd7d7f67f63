package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The other thread of `Sampling` is virtual. JDK 21 and newer. */
public final class VirtualSampling extends Sampling implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
