package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** A virtual thread that calls Object.wait in each way; see `Waits`. JDK 21 and newer. */
public final class VirtualWaits extends Waits implements Scenario {
    @Override
    Thread create(Runnable body) throws ReflectiveOperationException {
        return Virtual.thread("waiter", body);
    }
}
