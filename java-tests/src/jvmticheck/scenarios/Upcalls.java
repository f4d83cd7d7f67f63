package jvmticheck.scenarios;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread for which the JVM itself, or a part of the class library, calls methods, each of which does the same. */
public class Upcalls extends OnPlatformThreads implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("deeds", Deeds.class);
        try (Stage stage = new Stage()) {
            stage.startAndEnd(stage.keep(create("worker", new Worker())));
        }
        Probe.checkpoint("ended");
        Probe.fact("count", Deeds.count);
    }

    /** Brings about each call, after a checkpoint of its name and before `done`, and at last one that it does not live to see. */
    private static final class Worker implements Runnable {
        private final CallingLoader loader = new CallingLoader();
        private final Runnable user = loader.make("User");
        private final Runnable named = loader.make("Named");
        private final Runnable lambda = Deeds.lambda();
        private final Method reflected;
        private final MethodHandle handle;

        Worker() throws ReflectiveOperationException {
            reflected = Deeds.class.getDeclaredMethod("reflected");
            handle = MethodHandles.lookup().findStatic(Deeds.class, "handled", MethodType.methodType(void.class));
        }

        @Override
        public void run() {
            Deeds.count = 0;
            Thread.currentThread().setUncaughtExceptionHandler(new Thread.UncaughtExceptionHandler() {
                @Override
                public void uncaughtException(Thread thread, Throwable thrown) {
                    Deeds.uncaught();
                    Probe.checkpoint("done");
                }
            });
            Probe.checkpoint("resolved");
            user.run();
            Probe.checkpoint("done");
            Probe.checkpoint("named");
            named.run();
            Probe.checkpoint("done");
            Probe.checkpoint("caught");
            loader.make("Catcher").run();
            Probe.checkpoint("done");
            try {
                call();
            } catch (Throwable failed) {
                throw new IllegalStateException(failed);
            }
            Probe.checkpoint("inLambda");
            lambda.run();
            Probe.checkpoint("done");
            Probe.checkpoint("uncaught");
            throw new Refusal();
        }

        private void call() throws Throwable {
            Probe.checkpoint("reflected");
            reflected.invoke(null);
            Probe.checkpoint("done");
            Probe.checkpoint("handled");
            handle.invokeExact();
            Probe.checkpoint("done");
        }
    }

    /** What is called, and each time does the same. */
    public static final class Deeds {
        static volatile int count;

        private Deeds() {
        }

        /** While an instruction resolves a class. */
        public static void resolved() {
            count++;
        }

        /** While a class is looked up by its name. */
        public static void named() {
            count++;
        }

        /** While a class is verified or its handlers are searched. */
        public static void caught() {
            count++;
        }

        /** While a class is initialised. */
        public static void initialised() {
            count++;
        }

        /** By reflection. */
        public static void reflected() {
            count++;
        }

        /** By a method handle. */
        public static void handled() {
            count++;
        }

        /** By an object that the JVM makes for a lambda expression. */
        public static void inLambda() {
            count++;
        }

        /** After an exception has left the last frame. */
        public static void uncaught() {
            count++;
        }

        static Runnable lambda() {
            return () -> inLambda();
        }
    }

    /** Does a deed when it is asked for some of the classes below. */
    private static final class CallingLoader extends AskedLoader {
        CallingLoader() {
            super(Upcalls.class, User.class, Used.class, Named.class, Sought.class, Catcher.class, Caught.class);
        }

        @Override
        void asked(String name) {
            if (name.equals("Used")) {
                Deeds.resolved();
            } else if (name.equals("Sought")) {
                Deeds.named();
            } else if (name.equals("Caught")) {
                Deeds.caught();
            }
        }
    }

    /** Uses another class, whose loader and initialiser do deeds. */
    public static final class User implements Runnable {
        @Override
        public void run() {
            Used.use();
        }
    }

    /** Is initialised when it is used. */
    public static final class Used {
        static {
            Deeds.initialised();
        }

        private Used() {
        }

        static void use() {
        }
    }

    /** Looks a class up by its name. */
    public static final class Named implements Runnable {
        @Override
        public void run() {
            try {
                Class.forName(Upcalls.class.getName() + "$Sought", true, Named.class.getClassLoader());
            } catch (ClassNotFoundException missing) {
                throw new IllegalStateException(missing);
            }
        }
    }

    /** Is looked up by its name. */
    public static final class Sought {
        private Sought() {
        }
    }

    /** Has a handler for an exception that nobody throws. */
    public static final class Catcher implements Runnable {
        @Override
        public void run() {
            try {
                refuse();
            } catch (Caught caught) {
                throw new IllegalStateException(caught);
            } catch (IllegalArgumentException refused) {
                return;
            }
        }

        private static void refuse() {
            throw new IllegalArgumentException("on purpose");
        }
    }

    /** Is caught, but not thrown. */
    public static final class Caught extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Ends the thread. */
    private static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
