package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Two threads that need a class, which the first one initialises, while the second one has to wait; `waiting` is marked in the class
 * initialiser. No Java code enters a monitor.
 */
public class Initialising extends OnPlatformThreads implements Scenario {
    private static final String NAME = "jvmticheck.scenarios.Initialising$Slow";
    /** How long the initialisation goes on once the second thread is about to need the class, unless that is seen to wait. */
    private static final long DURATION = TimeUnit.MILLISECONDS.toNanos(300);

    private static volatile boolean isBegun;
    /** The second thread, when it is about to need the class. */
    private static volatile Thread needy;

    @Override
    public final void run() throws Exception {
        isBegun = false;
        needy = null;
        final FreshLoader loader = new FreshLoader(Slow.class);
        Probe.bind("class", loader.define(NAME));
        try (Stage stage = new Stage()) {
            final Runnable need = need(loader);
            Thread first = stage.cast("first", loader.initialisation(NAME));
            Thread second = stage.keep(create("second", new Runnable() {
                @Override
                public void run() {
                    while (!isBegun) {
                        Thread.yield();
                    }
                    needy = Thread.currentThread();
                    need.run();
                }
            }));
            second.start();
            Probe.checkpoint("loaded");
            first.start();
            first.join();
            Probe.checkpoint("done");
            second.join();
        }
        Probe.checkpoint("initialised");
    }

    /** What the second thread runs. */
    Runnable need(FreshLoader loader) throws Exception {
        return loader.initialisation(NAME);
    }

    /** For the class initialiser to call. */
    public static void linger() {
        isBegun = true;
        while (needy == null) {
            Thread.yield();
        }
        awaitWaiting(needy, DURATION);
        if (Probe.isUsed("waiting")) {
            Probe.fact("in-wait", isInWait() ? 1 : 0);
            Probe.checkpoint("waiting");
        }
    }

    /** Returns when the thread seems to wait, or so many nanoseconds later. */
    static void awaitWaiting(Thread thread, long most) {
        long end = System.nanoTime() + most;
        while (thread.getState() != Thread.State.WAITING && System.nanoTime() < end) {
            Thread.yield();
        }
    }

    /** Whether the class library itself waits on an object, parks or sleeps, in Java code that the second thread executes. */
    private static boolean isInWait() {
        for (StackTraceElement frame : needy.getStackTrace()) {
            String name = frame.getClassName();
            String method = frame.getMethodName();
            if (name.equals("java.lang.Object") && method.startsWith("wait")
                || name.equals("java.util.concurrent.locks.LockSupport") && method.startsWith("park")
                || name.equals("java.lang.Thread") && method.startsWith("sleep")) {
                return true;
            }
        }
        return false;
    }

    /** What both threads need. */
    static final class Slow {
        static {
            Initialising.linger();
        }

        static void touch() {
        }
    }

    /** Needs that class by an instruction, without a native method in between. */
    public static final class SlowUser implements Runnable {
        @Override
        public void run() {
            Slow.touch();
        }
    }
}
