package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that has to wait for a monitor, which a method that it calls enters by a synchronized block. */
public class BlockedEntry extends OnPlatformThreads implements Scenario {
    /** In milliseconds. */
    private static final int MOMENT = 50;

    private static volatile int executed;

    private volatile int result;
    private volatile String outcome = "returned";

    @Override
    public void run() throws Exception {
        prepare();
        executed = 0;
        final Object lock = new Object();
        Probe.bind("lock", lock);
        Probe.bind("stop", new IllegalStateException("stop"));
        try (Stage stage = new Stage()) {
            Thread entering = stage.keep(create("entering", new Runnable() {
                @Override
                public void run() {
                    try {
                        result = twice(lock);
                        goOn();
                    } catch (IllegalStateException stopped) {
                        outcome = "stopped";
                    }
                }
            }));
            Probe.checkpoint("before");
            synchronized (lock) {
                stage.startBlocked(entering);
                // A JVM may tell that a thread is blocked a moment before it sends the event.
                Thread.sleep(MOMENT);
                Probe.checkpoint("blocked");
            }
            Probe.await(entering, Thread.State.TERMINATED);
            Probe.fact("outcome", outcome);
            Probe.fact("result", result);
            Probe.fact("executed", executed);
            Probe.checkpoint("after");
        }
    }

    /** Called before the thread starts. */
    void prepare() throws InterruptedException {
        // Nothing to do if the methods need not be compiled.
    }

    /** An exception that the thread has been sent may take some more instructions to come. */
    private static void goOn() {
        for (int i = 0; i < MOMENT; i++) {
            twice(new Object());
            executed--;
            Thread.yield();
        }
    }

    static int twice(Object lock) {
        return 2 * enter(lock);
    }

    /** Loads the reference, stores a copy of it for the exit, and enters the monitor at location 3. */
    static int enter(Object lock) {
        synchronized (lock) {
            executed++;
            return 3;
        }
    }
}
