package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Loads a library if a property names one, and calls a native method that nobody registers. */
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

    /** The file name of the library or executable that implements this method. */
    private static native String image();
}
