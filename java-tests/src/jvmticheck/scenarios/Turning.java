package jvmticheck.scenarios;

import jvmticheck.Probe;

/** A thread that reaches the checkpoint `turn` over and over, for so many times at the most, until it is closed. */
final class Turning implements Runnable, AutoCloseable {
    private final int most;
    private final Thread thread = Stage.daemon("turning", this);
    private volatile int turns;
    private volatile boolean over;

    Turning(int most) {
        this.most = most;
    }

    Turning start() {
        thread.start();
        return this;
    }

    /** Waits until the checkpoint has been reached once. */
    void awaitTurn() {
        Probe.await("a turn", new Probe.Condition() {
            @Override
            public boolean holds() {
                return turns > 0;
            }
        });
    }

    @Override
    public void run() {
        while (!over && turns < most) {
            Probe.checkpoint("turn");
            turns++;
        }
    }

    @Override
    public void close() throws InterruptedException {
        over = true;
        thread.join();
    }
}
