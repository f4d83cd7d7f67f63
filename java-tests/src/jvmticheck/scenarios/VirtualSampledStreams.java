package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The threads of `SampledStreams` are virtual. JDK 21 and newer. */
public final class VirtualSampledStreams extends SampledStreams implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
