package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Objects whose monitors the main thread enters in several ways and leaves, with checkpoints before, while and after it owns them. */
public final class HashedLocks implements Scenario {
    private static final long MOMENT = 1;

    private final Object once = new Object();
    private final int[] twice = new int[3];
    private final Object waited = new Object();
    private final Object contended = new Object();

    @Override
    public void run() throws InterruptedException {
        Probe.bind("once", once);
        Probe.bind("twice", twice);
        Probe.bind("waited", waited);
        Probe.bind("contended", contended);
        Thread waiting = Stage.daemon("contending", this::enter);
        Probe.checkpoint("before");
        synchronized (once) {
            synchronized (twice) {
                synchronized (twice) {
                    synchronized (waited) {
                        waited.wait(MOMENT);
                        synchronized (contended) {
                            waiting.start();
                            Probe.await(waiting, Thread.State.BLOCKED);
                            Probe.checkpoint("owned");
                        }
                    }
                }
            }
        }
        waiting.join();
        Probe.checkpoint("after");
        System.gc();
        Probe.checkpoint("collected");
    }

    private void enter() {
        synchronized (contended) {
            contended.notifyAll();
        }
    }
}
