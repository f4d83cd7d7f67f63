package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `Initialising` with a virtual thread as the second one, which needs the class by an instruction. JDK 21 and newer. */
public final class VirtualInitialising extends Initialising implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }

    @Override
    Runnable need(FreshLoader loader) throws Exception {
        return (Runnable) loader.made(SlowUser.class);
    }
}
