package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** More nanoseconds than 32 bits can count go by, in parts of which each is too short for that. */
public final class LongSpan implements Scenario {
    /** Some 4,295 ms would suffice. */
    private static final int PARTS = 3;
    private static final long MILLIS = 1500;

    @Override
    public void run() throws Exception {
        Probe.checkpoint("before");
        for (int part = 1; part <= PARTS; part++) {
            Thread.sleep(MILLIS);
            Probe.checkpoint("part_" + part);
        }
    }
}
