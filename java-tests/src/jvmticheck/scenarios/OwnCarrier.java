package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A virtual thread whose carrier is a thread of the program, so that cases know the methods that the carrier calls before and after. For
 * JDK 21 and newer with `--add-opens=java.base/java.lang=ALL-UNNAMED`, if the class library lets a program choose the carrier in that way.
 * As JVMs may expect of carriers, this one owns no monitor while it carries.
 */
public final class OwnCarrier implements Scenario {
    /** More calls than any JVM needs to compile what the carrier does. */
    private static final int ROUNDS = 30_000;
    /** How long a carrier that goes on may take to show it, in nanoseconds. One that an agent has suspended does not go on. */
    private static final long GRACE = 100_000_000;
    private static final Object CARRIED_LOCK = new Object();
    /** Not final, so that no compiler takes them for constants. */
    private static Object heldByCarrier = new Object();
    private static Object heldByCarried = new Object();

    private final CarrierTasks tasks = new CarrierTasks();
    /** How far `carried` may go. */
    private volatile int phase;
    private volatile int reached;
    private volatile boolean over;
    static volatile int steps;
    static volatile int laps;
    static Object made;
    static final RuntimeException THROWN = new RuntimeException("thrown by each step");

    @Override
    public void run() throws Exception {
        Thread carried = tasks.carried(new Runnable() {
            @Override
            public void run() {
                go(heldByCarried);
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
        Probe.bind("carried", carried);
        Probe.bind("carrier", carrier);
        Probe.bind("held_by_carrier", heldByCarrier);
        Probe.bind("held_by_carried", heldByCarried);
        carrier.start();
        await(carrier, 0);
        steps = 0;
        laps = 0;
        Probe.checkpoint("ready");
        carried.start();
        awaitReached(1);
        Probe.checkpoint("mounted");
        phase = 1;
        if (Probe.isUsed("left")) {
            awaitReached(2);
            Probe.await(GRACE, new Probe.Condition() {
                @Override
                public boolean holds() {
                    return steps > 0;
                }
            });
            Probe.fact("steps.left", steps);
            Probe.checkpoint("left");
        }
        await(carrier, 1);
        Probe.checkpoint("unmounted");
        phase = 2;
        LockSupport.unpark(carried);
        awaitReached(3);
        Probe.checkpoint("again");
        phase = 3;
        carried.join();
        await(carrier, 2);
        Probe.checkpoint("carried");
        over = true;
        tasks.execute(CarrierTasks.NOTHING);
        carrier.join();
        Probe.fact("steps", steps);
        Probe.fact("laps", laps);
    }

    /** Waits until the carrier has taken so many steps, and waits for a task. */
    private void await(final Thread carrier, final int count) {
        Probe.await("the carrier", new Probe.Condition() {
            @Override
            public boolean holds() {
                return steps >= count && tasks.isEmpty() && carrier.getState() == State.WAITING;
            }
        });
    }

    private void awaitReached(final int place) {
        Probe.await("the virtual thread", new Probe.Condition() {
            @Override
            public boolean holds() {
                return reached >= place;
            }
        });
    }

    /** What the virtual thread does: it spins with a monitor, is unmounted, and spins again. */
    void go(Object held) {
        synchronized (CARRIED_LOCK) {
            spin(1);
        }
        Probe.checkpoint("inside");
        reached = 2;
        lap(1);
        while (phase < 2) {
            LockSupport.park(this);
        }
        lap(1);
        spin(3);
        made = held;
        lap(1);
    }

    private void spin(int until) {
        reached = until;
        while (phase < until) {
            continue;
        }
    }

    private static int lap(int by) {
        laps += by;
        return laps;
    }

    /** What the carrier does. */
    void carry() {
        for (int i = ROUNDS; i > 0; i--) {
            carryOne(CarrierTasks.NOTHING, heldByCarrier);
        }
        for (;;) {
            Runnable task = tasks.take();
            if (over) {
                return;
            }
            carryOne(task, heldByCarrier);
        }
    }

    private static int carryOne(Runnable task, Object held) {
        int by = 1;
        task.run();
        made = held;
        return step(by);
    }

    private static int step(int by) {
        made = new OwnCarrier();
        try {
            throw THROWN;
        } catch (RuntimeException e) {
            steps += by;
        }
        return steps;
    }
}
