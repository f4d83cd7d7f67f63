package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;

/** The threads of one kind, platform or virtual, each in a state of its own; see the scenarios `ThreadCast` and `VirtualCast`. */
abstract class Cast implements AutoCloseable {
    private static final ClassLoader OWN_LOADER = Cast.class.getClassLoader();
    final Object lock = new Object();
    final Object monitor = new Object();
    final Object notified = new Object();
    final Object timedOut = new Object();
    final Stage stage = new Stage();
    final Bodies bodies = stage.bodies;
    private final String prefix;
    private int staying;

    Cast(String prefix) {
        this.prefix = prefix;
        CastNatives.close();
        Probe.bind("own_loader", OWN_LOADER);
        Probe.bind("lock", lock);
        Probe.bind("monitor", monitor);
        Probe.bind("notified", notified);
        for (int i = 0; i < Part.LABELS.length; i++) {
            Probe.bind("label" + (i + 1), Part.LABELS[i]);
        }
    }

    /** A thread of the kind; `Stage.begin` starts it, where creating it has not. */
    abstract Thread create(String name, Part part) throws Exception;

    /** The name of the thread of the kind in such a state. */
    final String named(String state) {
        return prefix + state;
    }

    /** Creates a thread that does this below its known frames. */
    final Thread cast(String name, Runnable body) throws Exception {
        return stage.keep(create(named(name), new Part(body)));
    }

    /** Threads that do not run, and those that wait for time or for others. */
    final void waiters() throws Exception {
        cast("fresh", bodies.spin());
        rests();
        stage.start(cast("interrupt_cleared", clearAndPark()), State.WAITING, "park");
        stage.start(cast("below_native", belowNative(bodies.park(false))), State.WAITING, "park");
        stage.startTimed(cast("timed_below_native", belowNative(bodies.park(true))), "park");
    }

    /** A thread that has ended, and those that rest in Java in each way. */
    final void rests() throws Exception {
        stage.startAndEnd(cast("ended", Bodies.enter(new Object())));
        stage.start(cast("parked", bodies.park(false)), State.WAITING, "park");
        stage.startTimed(cast("timed_parked", bodies.park(true)), "park");
        stage.startTimed(cast("sleeping", bodies.sleep()), "sleep");
        stage.start(cast("waiting", bodies.await(monitor, false)), State.WAITING, "wait");
        stage.startTimed(cast("timed_waiting", bodies.await(monitor, true)), "wait");
    }

    /** Threads in native code. */
    final void natives() throws Exception {
        startStaying(cast("in_native", stay()));
        startStaying(cast("in_native_interrupted", stay())).interrupt();
    }

    /** Threads that wait for `lock`, which the caller holds. */
    final void blocked() throws Exception {
        stage.startBlocked(cast("blocked", Bodies.enter(lock)));
        stage.startBlocked(cast("blocked_interrupted", Bodies.enter(lock))).interrupt();
        stage.start(cast("blocked_jni", enterByJni()), State.BLOCKED, "enterAndCall");
    }

    /**
     * Marks `still` with the threads that there are, and `moving` once there are threads that take processor time, too. Most
     * cases are about the others: they shall not have to share the processors with these.
     */
    final void show() throws Exception {
        List<Thread> still = new ArrayList<Thread>(stage.threads());
        publish(still);
        Probe.checkpoint("still");
        if (Probe.isUsed("moving")) {
            stage.startSpinning(cast("spinning", bodies.spin()));
            stage.startSpinning(cast("spinning_interrupted", bodies.spin())).interrupt();
            List<Thread> moving = new ArrayList<Thread>(stage.threads());
            moving.removeAll(still);
            publish(moving);
            Probe.checkpoint("moving");
        }
    }

    /** States of each thread what Java says of it. */
    private static void publish(List<Thread> threads) {
        for (Thread thread : threads) {
            publish(thread);
        }
    }

    static void publish(Thread thread) {
        String name = thread.getName();
        Probe.fact(name + ".java-state", thread.getState().name());
        Probe.fact(name + ".interrupted", thread.isInterrupted() ? 1 : 0);
        Probe.fact(name + ".frames", thread.getStackTrace().length);
        Probe.fact(name + ".priority", thread.getPriority());
        Probe.fact(name + ".daemon", thread.isDaemon() ? 1 : 0);
        Probe.fact(name + ".own-loader", thread.getContextClassLoader() == OWN_LOADER ? 1 : 0);
    }

    final Thread startStaying(Thread thread) {
        Stage.begin(thread);
        CastNatives.awaitStaying(++staying);
        return thread;
    }

    /** A thread that waits on a raw monitor, in a native method. */
    final void rawWaiter() throws Exception {
        Stage.begin(cast("raw_waiting", new Runnable() {
            @Override
            public void run() {
                CastNatives.waitRaw();
            }
        }));
        CastNatives.awaitRaw(1);
    }

    private static Runnable stay() {
        return new Runnable() {
            @Override
            public void run() {
                CastNatives.stay();
            }
        };
    }

    private static Runnable belowNative(final Runnable body) {
        return new Runnable() {
            @Override
            public void run() {
                CastNatives.call(body);
            }
        };
    }

    /** Is interrupted, clears its interrupt status, and parks. */
    private Runnable clearAndPark() {
        return new Runnable() {
            @Override
            public void run() {
                Thread.currentThread().interrupt();
                bodies.parkUntilInterrupted();
                Thread.interrupted();
                // An interrupt may let a thread pass that parks later.
                LockSupport.parkNanos(1);
                bodies.parkUntilOver(false);
            }
        };
    }

    private Runnable enterByJni() {
        return new Runnable() {
            @Override
            public void run() {
                CastNatives.enterAndCall(lock, Bodies.enter(lock));
            }
        };
    }

    /** Enters a monitor by a synchronized method. */
    static final class Guarded {
        synchronized void enter() {
            hashCode();
        }

        Runnable body() {
            return new Runnable() {
                @Override
                public void run() {
                    enter();
                }
            };
        }
    }

    @Override
    public final void close() {
        CastNatives.open();
        stage.close();
        CastNatives.join();
    }
}
