package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same as `PlatformClasses` with virtual threads inside the methods. JDK 21 and newer. */
public final class VirtualPlatformClasses extends PlatformClasses implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
