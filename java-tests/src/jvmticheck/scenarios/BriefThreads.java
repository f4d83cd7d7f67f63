package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Many threads, one after the other, each of which ends at about the time that the main thread reaches the checkpoint. */
public final class BriefThreads implements Scenario {
    private static final int MANY = 400;
    /** The longest that a thread counts before it ends. */
    private static final int LONGEST = 20000;

    private static volatile int counted;

    @Override
    public void run() throws InterruptedException {
        Probe.bind("main", Thread.currentThread());
        for (int i = 0; i < MANY; i++) {
            final int length = i * 7919 % LONGEST;
            Thread brief = new Thread(new Runnable() {
                @Override
                public void run() {
                    for (int count = 0; count < length; count++) {
                        counted = count;
                    }
                }
            }, "brief");
            Probe.bind("brief", brief);
            brief.start();
            Probe.checkpoint("started");
            brief.join();
        }
        Probe.bind("brief", null);
        Probe.checkpoint("after");
    }
}
