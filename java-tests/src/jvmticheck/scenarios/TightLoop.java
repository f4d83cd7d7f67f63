package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread in a loop that calls no method and makes no object. For cases with a JVM of their own. */
public final class TightLoop implements Scenario {
    private static volatile boolean over;
    private static volatile int rounds;

    @Override
    public void run() throws Exception {
        Thread looping = Stage.daemon("looping", new Runnable() {
            @Override
            public void run() {
                loop();
            }
        });
        Probe.bind("looping", looping);
        looping.start();
        while (rounds == 0) {
            Thread.yield();
        }
        Probe.checkpoint("looping");
        over = true;
        looping.join();
        Probe.checkpoint("after");
    }

    private static void loop() {
        while (!over) {
            rounds++;
        }
    }
}
