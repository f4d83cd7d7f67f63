package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread for which the JVM calls methods that throw, after which an instruction of the thread throws another exception; and what the
 * thread does last, after an exception that nobody has caught.
 */
public class Replaced extends OnPlatformThreads implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("last", Deeds.LAST);
        try (Stage stage = new Stage()) {
            stage.startAndEnd(stage.keep(create("worker", new Worker())));
        }
        Probe.checkpoint("ended");
    }

    private static final class Worker implements Runnable {
        private final FailingLoader loader = new FailingLoader();

        @Override
        public void run() {
            Thread.currentThread().setUncaughtExceptionHandler(new Thread.UncaughtExceptionHandler() {
                @Override
                public void uncaughtException(Thread thread, Throwable thrown) {
                    Deeds.atLast();
                    Probe.checkpoint("done");
                }
            });
            replace("Loading", new ClassNotFoundException("for the JVM to replace"));
            replace("Initialising", new IllegalStateException("for the JVM to replace"));
            Probe.checkpoint("uncaught");
            throw new IllegalStateException("that nobody catches");
        }

        private void replace(String name, Throwable by) {
            Deeds.original = by;
            Runnable user = loader.make(name);
            Probe.bind("original" + name, by);
            Probe.checkpoint("before" + name);
            Deeds.failed = 0;
            Throwable got = attempt(user);
            Probe.checkpoint("done");
            Probe.fact(name + ".failed", Deeds.failed);
            Probe.fact(name, got == null ? "nothing" : got.getClass().getName());
        }
    }

    /** The call is at 1, and the handler at 9. */
    static Throwable attempt(Runnable user) {
        try {
            user.run();
        } catch (Throwable thrown) {
            return thrown;
        }
        return null;
    }

    /** What the JVM calls in between. */
    public static final class Deeds {
        static final RuntimeException LAST = new IllegalStateException("after one that nobody has caught");
        static Throwable original;
        /** How often it has come to that. A JVM may look for a class before an instruction needs it. */
        public static int failed;
        private static Object kept;

        private Deeds() {
        }

        /** Throws the exception that will be replaced, at 3. */
        @SuppressWarnings("unchecked")
        public static <T extends Throwable> Object fail() throws T {
            throw (T) original;
        }

        static void atLast() {
            returning();
            raise();
        }

        static void returning() {
            kept = LAST;
        }

        /** Throws at 3, and catches at 4. */
        static Object raise() {
            try {
                throw LAST;
            } catch (RuntimeException caught) {
                return caught;
            }
        }
    }

    /** Throws when it is asked for the class that is not there. */
    private static final class FailingLoader extends AskedLoader {
        FailingLoader() {
            super(Replaced.class, Loading.class, Initialising.class, Initialised.class);
        }

        @Override
        void asked(String name) throws ClassNotFoundException {
            if (name.equals("Absent")) {
                Deeds.failed++;
                Deeds.<ClassNotFoundException>fail();
            }
        }
    }

    /** Uses a class that its loader does not load. */
    public static final class Loading implements Runnable {
        @Override
        public void run() {
            new Absent();
        }
    }

    /** Is not loaded. */
    public static final class Absent {
        Absent() {
        }
    }

    /** Uses a class whose initialiser throws. */
    public static final class Initialising implements Runnable {
        @Override
        public void run() {
            new Initialised();
        }
    }

    /** Cannot be initialised. */
    public static final class Initialised {
        static {
            Deeds.failed++;
        }

        static final Object NOTHING = Deeds.<RuntimeException>fail();
    }
}
