package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** Five threads that do what the two threads of `Gathering` do. */
public final class GatheringMany extends Gathering implements Scenario {
    /** The five threads. */
    public GatheringMany() {
        super("one", "two", "three", "four", "five");
    }
}
