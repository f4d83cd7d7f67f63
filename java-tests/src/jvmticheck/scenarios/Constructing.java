package jvmticheck.scenarios;

import java.util.concurrent.locks.ReentrantLock;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads that spin in a constructor, in a class initialiser, and in a method that has locked a ReentrantLock. */
public final class Constructing implements Scenario {
    // Public, because a class of another class loader accesses them.
    public static volatile boolean over;
    public static volatile boolean constructing;
    public static volatile boolean initialising;
    public static volatile boolean initialised;
    public static volatile boolean locking;
    public static int rounds;
    public static Object made;

    @Override
    public void run() throws Exception {
        over = false;
        constructing = false;
        initialising = false;
        initialised = false;
        locking = false;
        try (Stage stage = new Stage()) {
            final ClassLoader fresh = new FreshLoader(Initialised.class);
            stage.cast("initialiser", new Runnable() {
                @Override
                public void run() {
                    String outcome;
                    try {
                        Class.forName(Initialised.class.getName(), true, fresh);
                        outcome = "usable";
                    } catch (Throwable thrown) {
                        outcome = thrown.toString();
                    }
                    Probe.fact("initialiser.outcome", outcome);
                    Probe.fact("initialiser.finished", initialised ? 1 : 0);
                }
            }).start();
            // The other threads start later, so that they do not keep this one from loading the class.
            Probe.await("the initialiser to spin", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return initialising;
                }
            });
            stage.cast("constructor", new Runnable() {
                @Override
                public void run() {
                    Constructed made = new Constructed();
                    Probe.fact("constructor.made", made.begun);
                    Probe.fact("constructor.finished", made.finished ? 1 : 0);
                }
            }).start();
            stage.cast("locker", new Runnable() {
                @Override
                public void run() {
                    ReentrantLock lock = new ReentrantLock();
                    spinLocked(lock);
                    Probe.fact("locker.holds", lock.getHoldCount());
                }
            }).start();
            Probe.await("the others to spin", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return constructing && locking;
                }
            });
            Probe.checkpoint("spinning");
            over = true;
        }
        Probe.checkpoint("after");
    }

    static void spinLocked(ReentrantLock lock) {
        lock.lock();
        // Without a call, so that this is the top frame.
        for (; !over; made = ++rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            locking = true;
        }
    }

    /** Spins in its constructor. As in `Bodies`, an array now and then lets the Zero VM stop a thread in such a loop. */
    static class Constructed {
        int begun;
        boolean finished;

        Constructed() {
            begun = 1;
            for (; !over; made = ++rounds % Bodies.SOME == 0 ? new byte[0] : null) {
                constructing = true;
            }
            finished = true;
        }
    }

    /** Spins in its class initialiser. */
    static class Initialised {
        static {
            for (; !over; made = ++rounds % Bodies.SOME == 0 ? new byte[0] : null) {
                initialising = true;
            }
            initialised = true;
        }
    }
}
