package jvmticheck.scenarios;

import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class that its loader has tried to define again and again, which a JVM refuses. What it has made of a class by then, it gives up. */
public final class DefinedAgain implements Scenario {
    private static final int TIMES = 64;

    @Override
    public void run() throws IOException {
        byte[] file = new ClassFile(Defined.class).bytes;
        FreshLoader loader = new FreshLoader(Defined.class);
        Probe.bind("class", loader.define(Defined.class.getName(), file));
        int refused = 0;
        for (int i = 0; i < TIMES; i++) {
            try {
                loader.define(Defined.class.getName(), file);
            } catch (LinkageError duplicate) {
                refused++;
            }
        }
        Probe.fact("refused", refused);
        Probe.checkpoint("refused");
    }

    /** The class. */
    public static class Defined {
        public static void spare() {
        }
    }
}
