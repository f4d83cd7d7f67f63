package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** Virtual threads for agents to interrupt, several in each state; see `Struck`. JDK 21 and newer. */
public final class VirtualStruckCast extends StruckCast implements Scenario {
    @Override
    String[] ways() {
        return new String[] {"_interrupted", "_interrupted_suspended"};
    }

    @Override
    Thread create(String name, Struck part) throws ReflectiveOperationException {
        return Virtual.thread("virtual_" + name, part);
    }
}
