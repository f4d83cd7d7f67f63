package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that ends the JVM with status 3, in a method that it has called. */
public class Exiting implements Scenario {
    private static final int STATUS = 3;

    @Override
    public void run() throws Exception {
        final boolean halts = Probe.isUsed("halting");
        Thread exiting = create(new Runnable() {
            @Override
            public void run() {
                end(halts);
            }
        });
        Probe.bind("exiting", exiting);
        Probe.bind("halting", exiting);
        Probe.checkpoint("before");
        exiting.start();
        exiting.join();
    }

    /** A thread of the kind, unstarted. */
    Thread create(Runnable body) throws Exception {
        return new Thread(body, "exiting");
    }

    static void end(boolean halts) {
        if (halts) {
            Runtime.getRuntime().halt(STATUS);
        }
        System.exit(STATUS);
    }
}
