package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A virtual thread whose carrier is a thread of the program that owns a monitor all the time, as the virtual thread owns one. JDK 21 and newer; needs
 * `--add-opens=java.base/java.lang=ALL-UNNAMED`.
 */
public final class LockingCarrier implements Scenario {
    private static final Object CARRIER_LOCK = new Object();
    private static final Object CARRIED_LOCK = new Object();

    private final CarrierTasks tasks = new CarrierTasks();
    private volatile boolean spins;
    private volatile boolean over;
    private static int turns;

    @Override
    public void run() throws Exception {
        Thread carried = tasks.carried(new Runnable() {
            @Override
            public void run() {
                go();
            }
        });
        if (carried == null) {
            return;
        }
        Thread carrier = Stage.daemon("carrier", new Runnable() {
            @Override
            public void run() {
                carry();
            }
        });
        Thread blocked = Stage.daemon("blocked", new Runnable() {
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
        Probe.await(blocked, State.BLOCKED);
        Probe.checkpoint("contended");
        over = true;
        carried.join();
        tasks.execute(CarrierTasks.NOTHING);
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
                tasks.take().run();
            }
        }
    }

    private static int turn() {
        return ++turns;
    }
}
