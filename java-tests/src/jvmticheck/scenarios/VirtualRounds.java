package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** Two virtual threads and a platform thread that do the same in each of three rounds; see `Doer`. JDK 21 and newer. */
public final class VirtualRounds extends Rounds implements Scenario {
    @Override
    Thread create(String name, Doer doer) throws ReflectiveOperationException {
        return Virtual.thread(name, doer);
    }
}
