package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Errors that class initialisers throw, and that pass through the method whose instruction made the JVM initialise the class. */
public final class PassedErrors implements Scenario {
    private static final String[] KINDS = {"called", "created", "read", "inherited"};

    /** The error that the next initialiser throws. */
    private static volatile Error next;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Runnable fresh = (Runnable) new FreshLoader(Fresh.class).made(Fresh.class);
        Error[] errors = new Error[KINDS.length];
        for (int i = 0; i < KINDS.length; i++) {
            errors[i] = new AssertionError(KINDS[i]);
            Probe.bind(KINDS[i], errors[i]);
        }
        Probe.checkpoint("before");
        int passed = 0;
        for (Error error : errors) {
            next = error;
            try {
                fresh.run();
            } catch (AssertionError caught) {
                passed += caught == error ? 1 : 0;
            }
        }
        Probe.checkpoint("after");
        Probe.fact("passed", passed);
    }

    /** Throws the error that is next. */
    public static void fail() {
        throw next;
    }

    /** Initialises another class in another way each time. */
    public static final class Fresh implements Runnable {
        private int turn;

        @Override
        public void run() {
            switch (turn++) {
                case 0:
                    call();
                    break;
                case 1:
                    create();
                    break;
                case 2:
                    read();
                    break;
                default:
                    inherit();
            }
        }

        static void call() {
            FreshCalled.call();
        }

        static void create() {
            new FreshCreated();
        }

        static int read() {
            return FreshRead.field;
        }

        static void inherit() {
            FreshHeir.call();
        }
    }

    /** Its initialiser throws. */
    public static final class FreshCalled {
        static {
            fail();
        }

        static void call() {
        }
    }

    /** Its initialiser throws. */
    public static final class FreshCreated {
        static {
            fail();
        }
    }

    /** Its initialiser throws. */
    public static final class FreshRead {
        static int field;

        static {
            fail();
        }
    }

    /** Its initialiser throws. */
    public static class FreshParent {
        static {
            fail();
        }
    }

    /** Its superclass cannot be initialised. */
    public static final class FreshHeir extends FreshParent {
        static void call() {
        }
    }
}
