package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A virtual thread whose carrier is a thread of the program that owns a monitor all the time, as the virtual thread owns one. JDK 21 and newer; needs
 * `--add-opens=java.base/java.lang=ALL-UNNAMED`.
 */
public final class LockingCarrier implements Scenario {
    private static final Object CARRIER_LOCK = new Object();
    private static final Object CARRIED_LOCK = new Object();

    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<Runnable>();
    private volatile boolean spins;
    private volatile boolean over;
    private static int turns;

    @Override
    public void run() throws Exception {
        Thread carried = OwnCarrier.scheduled("carried", new Runnable() {
            @Override
            public void run() {
                go();
            }
        }, new Executor() {
            @Override
            public void execute(Runnable task) {
                tasks.add(task);
            }
        });
        Probe.fact("carried.found", carried == null ? 0 : 1);
        if (carried == null) {
            return;
        }
        Thread carrier = Stage.daemon("carrier", new Runnable() {
            @Override
            public void run() {
                carry();
            }
        });
        final Thread blocked = Stage.daemon("blocked", new Runnable() {
            @Override
            public void run() {
                synchronized (CARRIER_LOCK) {
                    turn();
                }
            }
        });
        Probe.bind("carried", carried);
        Probe.bind("carrier", carrier);
        Probe.bind("blocked", blocked);
        Probe.bind("carrier_lock", CARRIER_LOCK);
        Probe.bind("carried_lock", CARRIED_LOCK);
        carrier.start();
        carried.start();
        Probe.await("the virtual thread", new Probe.Condition() {
            @Override
            public boolean holds() {
                return spins;
            }
        });
        Probe.checkpoint("mounted");
        blocked.start();
        Probe.await("the other thread", new Probe.Condition() {
            @Override
            public boolean holds() {
                return blocked.getState() == State.BLOCKED;
            }
        });
        Probe.checkpoint("contended");
        over = true;
        carried.join();
        tasks.add(new Runnable() {
            @Override
            public void run() {
            }
        });
        carrier.join();
        blocked.join();
    }

    /** What the virtual thread does. */
    void go() {
        synchronized (CARRIED_LOCK) {
            spins = true;
            while (!over) {
                turn();
            }
        }
    }

    /** What the carrier does. */
    void carry() {
        synchronized (CARRIER_LOCK) {
            while (!over) {
                take().run();
            }
        }
    }

    private Runnable take() {
        for (;;) {
            try {
                return tasks.take();
            } catch (InterruptedException e) {
                continue;
            }
        }
    }

    private static int turn() {
        return ++turns;
    }
}
