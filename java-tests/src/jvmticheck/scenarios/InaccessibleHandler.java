package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Methods that throw an exception, or call a method that does, with a handler for a class of exceptions that they may not use because it is
 * not public and belongs to a package of another class loader. A JVM that asks for the handler's class finds that out only then.
 */
public final class InaccessibleHandler implements Scenario {
    public static final RuntimeException ORIGINAL = new IllegalStateException("below a handler");
    public static volatile int thrown;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("original", ORIGINAL);
        // Loads what it takes.
        attempt(fresh(Thrower.class));
        attempt(fresh(Caller.class));
        attempt("thrower", fresh(Thrower.class));
        attempt("caller", fresh(Caller.class));
    }

    private static Runnable fresh(Class<?> type) throws Exception {
        return (Runnable) new FreshLoader(type).initialised(type.getName()).getConstructor().newInstance();
    }

    private static void attempt(String name, Runnable thrower) {
        thrown = 0;
        Probe.checkpoint(name);
        Throwable got = attempt(thrower);
        Probe.checkpoint("after");
        Probe.fact(name + ".thrown", thrown);
        Probe.fact(name + ".got", got == null ? "nothing" : got.getClass().getName());
    }

    /** Throws the exception, without a handler. */
    public static void raise() {
        thrown++;
        throw ORIGINAL;
    }

    private static Throwable attempt(Runnable thrower) {
        try {
            thrower.run();
        } catch (Throwable got) {
            return got;
        }
        return null;
    }

    /** May be used by its own package only, which is that of its loader. */
    static final class Unreachable extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Is defined by another loader. */
    public static final class Caller implements Runnable {
        @Override
        public void run() {
            try {
                raise();
            } catch (Unreachable never) {
                thrown = -1;
            }
        }
    }

    /** Is defined by another loader. */
    public static final class Thrower implements Runnable {
        @Override
        public void run() {
            thrown++;
            try {
                throw ORIGINAL;
            } catch (Unreachable never) {
                thrown = -1;
            }
        }
    }
}
