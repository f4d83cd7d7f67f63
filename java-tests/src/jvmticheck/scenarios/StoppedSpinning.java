package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that runs until an exception reaches it, and then tells whether it is interrupted. */
public class StoppedSpinning extends OnPlatformThreads implements Scenario {
    private volatile boolean spins;
    private volatile boolean caught;
    private volatile boolean released;
    private volatile int rounds;

    @Override
    public final void run() throws Exception {
        Probe.bind("error", new IllegalStateException("sent"));
        try (Stage stage = new Stage()) {
            Thread spinning = stage.keep(create("spinning", new Runnable() {
                @Override
                public void run() {
                    try {
                        spins = true;
                        while (!released) {
                            rounds++;
                        }
                    } catch (IllegalStateException sent) {
                        caught = true;
                    }
                    Probe.fact("caught", caught ? 1 : 0);
                    Probe.fact("interrupted", Thread.currentThread().isInterrupted() ? 1 : 0);
                    Probe.checkpoint("caught");
                }
            }));
            Probe.bind("spinning", spinning);
            spinning.start();
            while (!spins) {
                Thread.yield();
            }
            Probe.checkpoint("spinning");
            long start = System.nanoTime();
            while (!caught && System.nanoTime() - start < 3_000_000_000L) {
                Thread.sleep(1);
            }
            released = true;
            spinning.join();
        }
    }
}
