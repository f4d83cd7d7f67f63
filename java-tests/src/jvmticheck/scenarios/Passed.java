package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The native method that marks a checkpoint has got a text that no variable has. */
public final class Passed implements Scenario {
    @Override
    public void run() {
        Probe.checkpoint(text());
        reach();
        Probe.checkpoint("after");
    }

    /** What a breakpoint may be set in. */
    private static int reach() {
        return 1;
    }

    private static String text() {
        String text = new String("passed");
        Probe.bind("text", text);
        return text;
    }
}
