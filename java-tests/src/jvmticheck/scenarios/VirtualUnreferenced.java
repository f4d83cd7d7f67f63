package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.lang.ref.WeakReference;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Virtual threads to which no Java code has a reference, if the JVM has the option `-Djdk.trackAllThreads=false`: one that has to wait for a
 * monitor, and one that waits to be notified. The body of each is the only instance of its class. Afterwards the threads go on.
 */
public final class VirtualUnreferenced implements Scenario {
    private static final Object LOCK = new Object();
    private static final Object MONITOR = new Object();
    private static volatile int entered;
    private static volatile int notified;

    @Override
    public void run() throws Exception {
        entered = 0;
        notified = 0;
        Probe.bind("entering", Entering.class);
        Probe.bind("waiting", Waiting.class);
        synchronized (LOCK) {
            await(start(new Entering()), State.BLOCKED);
            await(start(new Waiting()), State.WAITING);
            Probe.checkpoint("blocked");
        }
        awaitEnd(true);
        synchronized (MONITOR) {
            MONITOR.notifyAll();
        }
        awaitEnd(false);
        Probe.fact("entering", entered);
        Probe.fact("waiting", notified);
        Probe.checkpoint("after");
    }

    private static WeakReference<Thread> start(Runnable body) throws ReflectiveOperationException {
        Thread thread = Virtual.thread("unreferenced", body);
        thread.start();
        return new WeakReference<Thread>(thread);
    }

    private static void await(final WeakReference<Thread> reference, final State state) {
        Probe.await("a virtual thread to be " + state, new Probe.Condition() {
            @Override
            public boolean holds() {
                Thread thread = reference.get();
                return thread == null || thread.getState() == state;
            }
        });
    }

    private static void awaitEnd(final boolean entering) {
        Probe.await("a virtual thread to go on", new Probe.Condition() {
            @Override
            public boolean holds() {
                return (entering ? entered : notified) == 1;
            }
        });
    }

    /** Waits to enter a monitor. */
    static final class Entering implements Runnable {
        @Override
        public void run() {
            synchronized (LOCK) {
                entered = 1;
            }
        }
    }

    /** Waits on a monitor. */
    static final class Waiting implements Runnable {
        @Override
        public void run() {
            synchronized (MONITOR) {
                try {
                    MONITOR.wait();
                    notified = 1;
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
