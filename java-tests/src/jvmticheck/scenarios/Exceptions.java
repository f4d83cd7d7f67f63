package jvmticheck.scenarios;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Exceptions that are caught in various places, each between two checkpoints; `before` is the first. */
public final class Exceptions implements Scenario {
    private static final Exception BY_REFLECTION = new Exception("by reflection");

    /** The exception that `Failing`'s initialiser throws. */
    static volatile RuntimeException inInitialiser;

    @Override
    public void run() throws Exception {
        Exception here = bound("thrown_here", new Exception("caught by the method that throws it"));
        Exception below = bound("thrown_below", new Exception("caught by the caller's caller"));
        Exception again = bound("thrown_again", new Exception("caught and thrown again"));
        bound("thrown_by_reflection", BY_REFLECTION);
        inInitialiser = bound("thrown_in_initialiser", new IllegalStateException("thrown by a class initialiser"));
        final RuntimeException uncaught = bound("thrown_uncaught", new RuntimeException("caught by nobody"));
        Probe.bind("class", Exceptions.class);
        Probe.bind("main", Thread.currentThread());
        FreshLoader loader = new FreshLoader(Failing.class);
        Method thrower = Exceptions.class.getDeclaredMethod("throwByReflection");
        Probe.checkpoint("before");
        throwAndCatch(here);
        Probe.checkpoint("caught_here");
        catchFromBelow(below);
        Probe.checkpoint("caught_below");
        catchAgain(again);
        Probe.checkpoint("caught_again");
        catchOfVm(0, null);
        Probe.checkpoint("caught_of_vm");
        try {
            thrower.invoke(null);
        } catch (InvocationTargetException wrapped) {
            Probe.fact("by-reflection.wrapped", wrapped.getCause() == BY_REFLECTION ? 1 : 0);
        }
        Probe.checkpoint("caught_by_reflection");
        try {
            loader.initialised("jvmticheck.scenarios.Exceptions$Failing");
        } catch (ExceptionInInitializerError wrapped) {
            Probe.fact("in-initialiser.wrapped", wrapped.getCause() == inInitialiser ? 1 : 0);
        }
        Probe.checkpoint("caught_by_vm");
        throwUncaught(uncaught);
        Probe.checkpoint("uncaught");
    }

    private static <T> T bound(String name, T exception) {
        Probe.bind(name, exception);
        return exception;
    }

    static void throwAndCatch(Exception exception) {
        try {
            throw exception;
        } catch (Exception caught) {
            caught.getMessage();
        }
    }

    static void catchFromBelow(Exception exception) {
        try {
            passOn(exception);
        } catch (Exception caught) {
            caught.getMessage();
        }
    }

    static void passOn(Exception exception) throws Exception {
        throwIt(exception);
    }

    static void throwIt(Exception exception) throws Exception {
        throw exception;
    }

    static void catchAgain(Exception exception) {
        try {
            throwFromFinally(exception);
        } catch (Exception caught) {
            caught.getMessage();
        }
    }

    /** Its `finally` block catches and rethrows. */
    static void throwFromFinally(Exception exception) throws Exception {
        try {
            throw exception;
        } finally {
            exception.getMessage();
        }
    }

    /** Two exceptions that the JVM creates. */
    static int catchOfVm(int zero, Object nothing) {
        int caught = 0;
        try {
            caught = 1 / zero;
        } catch (ArithmeticException division) {
            caught++;
        }
        try {
            nothing.hashCode();
        } catch (NullPointerException missing) {
            caught++;
        }
        return caught;
    }

    static void throwByReflection() throws Exception {
        throw BY_REFLECTION;
    }

    static void throwUncaught(final RuntimeException exception) {
        try (Stage stage = new Stage()) {
            // Nothing that may catch is between this method and the JVM.
            Thread thread = stage.keep(new Thread("thrower") {
                @Override
                public void run() {
                    throw exception;
                }
            });
            thread.setDaemon(true);
            Launched launched = new Launched();
            stage.startAndEnd(stage.keep(launched));
            Probe.fact("uncaught.launching", launched.below);
            thread.setUncaughtExceptionHandler(new Thread.UncaughtExceptionHandler() {
                @Override
                public void uncaughtException(Thread of, Throwable thrown) {
                    Probe.fact("uncaught.handled", thrown == exception ? 1 : 0);
                }
            });
            stage.startAndEnd(thread);
        }
    }

    /** Counts the frames below the initial method of such a thread, in which a class library may catch what is thrown. */
    private static final class Launched extends Thread {
        volatile int below = -1;

        Launched() {
            super("launched");
            setDaemon(true);
        }

        @Override
        public void run() {
            StackTraceElement[] frames = getStackTrace();
            for (int i = 0; i < frames.length; i++) {
                if (frames[i].getClassName().equals(getClass().getName())) {
                    below = frames.length - 1 - i;
                }
            }
        }
    }

    /** A class whose initialiser throws to a native method. */
    static final class Failing {
        static {
            fail();
        }

        private static void fail() {
            throw inInitialiser();
        }
    }

    /** For `Failing`, which is in another run-time package. */
    public static RuntimeException inInitialiser() {
        return inInitialiser;
    }
}
