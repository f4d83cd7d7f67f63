package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Initialisers, the constructor of an enumeration, a lambda expression and native methods, which return, throw or catch exceptions. */
public final class RareMethods implements Scenario {
    private static final int START = 3;
    private static int caught;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(RareMethods.class);
        Probe.bind("main", Thread.currentThread());
        Probe.bind("inner", Inner.class);
        Probe.bind("outer", this);
        Class<?>[] types = {Quiet.class, Failing.class, Catching.class, Level.class};
        String[] names = {"quiet", "failing", "catching", "level"};
        for (int i = 0; i < types.length; i++) {
            types[i] = loader.define(types[i].getName());
            Probe.bind(names[i], types[i]);
        }
        // Loads what the methods need.
        attempt();
        Probe.checkpoint("before");
        for (Class<?> type : types) {
            try {
                Class.forName(type.getName(), true, loader);
            } catch (ExceptionInInitializerError expected) {
                caught++;
            }
        }
        attempt();
        Probe.checkpoint("after");
        Probe.fact("caught", caught);
    }

    private void attempt() {
        Inner inner = new Inner();
        caught += inner.number() - inner.number;
        catching();
        CastNatives.pass();
        try {
            CastNatives.call(new Thrower());
        } catch (IllegalStateException expected) {
            caught++;
        }
    }

    private static void catching() {
        Runnable lambda = () -> {
            try {
                throw new IllegalStateException("in a lambda expression");
            } catch (IllegalStateException expected) {
                caught++;
            }
        };
        lambda.run();
    }

    /** Has no method but its initialiser, which returns. */
    interface Quiet {
        Object MADE = new Object();
    }

    /** Has no method but its initialiser, which throws what it does not catch. */
    interface Failing {
        Object MADE = Integer.valueOf("no number");
    }

    /** Its initialiser catches what it throws. */
    static final class Catching {
        static int caught;

        static {
            try {
                throw new IllegalStateException("in an initialiser");
            } catch (IllegalStateException expected) {
                caught++;
            }
        }

        private Catching() {
        }
    }

    /** Its initialiser calls its constructor. */
    enum Level {
        ONLY
    }

    /** Its constructor sets a field, and it has one that the compiler has made. */
    public final class Inner {
        public final int number;
        private final int own;

        Inner() {
            own = START;
            number = START;
        }

        int number() {
            return start() + own - START;
        }
    }

    private int start() {
        return START;
    }

    private static final class Thrower implements Runnable {
        @Override
        public void run() {
            throw new IllegalStateException("in a method that native code calls");
        }
    }
}
