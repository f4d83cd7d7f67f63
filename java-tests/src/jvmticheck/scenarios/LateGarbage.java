package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Garbage that an agent makes when the program has ended: several times what the heap holds. */
public final class LateGarbage implements Scenario {
    private static byte[] garbage;

    @Override
    public void run() {
        make();
        Probe.checkpoint("made");
    }

    /** Makes 400 MB of garbage. */
    public static void make() {
        for (int i = 0; i < 400; i++) {
            garbage = new byte[1 << 20];
        }
        garbage = null;
    }
}
