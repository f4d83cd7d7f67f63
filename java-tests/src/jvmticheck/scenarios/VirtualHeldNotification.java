package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The same with a virtual thread that waits. JDK 21 and newer. */
public final class VirtualHeldNotification extends HeldNotification implements Scenario {
    @Override
    Thread create(Runnable body) throws Exception {
        return Virtual.thread("waiter", body);
    }
}
