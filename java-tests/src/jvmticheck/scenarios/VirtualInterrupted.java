package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;

import jvmticheck.Scenario;

/**
 * A virtual thread that sleeps for a moment again and again, so that it is unmounted and mounted, and three others that interrupt it all the
 * time. JDK 21 and newer.
 */
public final class VirtualInterrupted extends Beset implements Scenario {
    public VirtualInterrupted() {
        super("interrupted", "interrupting", 50, TimeUnit.MILLISECONDS.toNanos(10));
    }

    @Override
    void rest() {
        try {
            Thread.sleep(0, 1000);
        } catch (InterruptedException again) {
            return;
        }
    }

    @Override
    void beset(Thread thread, int number) {
        while (!over) {
            thread.interrupt();
        }
    }
}
