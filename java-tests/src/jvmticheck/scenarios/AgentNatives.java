package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls a native method that nobody registers. A library is loaded before, if a property names one. */
public final class AgentNatives implements Scenario {
    @Override
    public void run() {
        String library = System.getProperty("jvmticheck.library");
        if (library != null) {
            System.load(library);
        }
        try {
            Probe.fact("image", image());
        } catch (UnsatisfiedLinkError unknown) {
            Probe.fact("image", "none");
        }
    }

    /** The file name of the library or executable that implements this. */
    private static native String image();
}
