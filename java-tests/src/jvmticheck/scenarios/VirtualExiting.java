package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same with a virtual thread. JDK 21 and newer. */
public final class VirtualExiting extends Exiting implements Scenario {
    @Override
    Thread create(Runnable body) throws Exception {
        return Virtual.thread("exiting", body);
    }
}
