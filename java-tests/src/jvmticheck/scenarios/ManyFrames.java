package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread with more frames than a number of sixteen bits can count, if the JVM gives it a stack that is large enough. */
public final class ManyFrames implements Scenario {
    private static final int FRAMES = 70_000;
    private static final long STACK = 512L << 20;

    private static volatile int left;

    @Override
    public void run() throws Exception {
        Thread deep = new Thread(null, new Runnable() {
            @Override
            public void run() {
                int reached = 0;
                try {
                    reached = descend(FRAMES) - left;
                } catch (StackOverflowError tooSmall) {
                    reached = -1;
                }
                Probe.fact("deep", reached == FRAMES ? 1 : 0);
            }
        }, "deep", STACK);
        deep.setDaemon(true);
        Probe.bind("deep", deep);
        deep.start();
        deep.join();
        Probe.checkpoint("after");
    }

    private static int descend(int frames) {
        if (frames > 0) {
            return descend(frames - 1) + 1;
        }
        Probe.checkpoint("deep");
        return left;
    }
}
