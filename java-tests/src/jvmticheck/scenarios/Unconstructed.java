package jvmticheck.scenarios;

import java.lang.ref.WeakReference;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Objects that exist, while the expressions are evaluated that their constructors get. No variable can refer to such an object, but an agent
 * finds them in the heap. All classes are new in each run.
 */
public final class Unconstructed implements Scenario {
    @Override
    public void run() throws Exception {
        ((Callable<?>) new FreshLoader(Making.class).made(Making.class)).call();
    }

    /** What makes the objects. */
    public static final class Making implements Callable<Object> {
        private static final String DONE = "done";

        @Override
        public Object call() throws Exception {
            Probe.bind("thread_class", OwnThread.class);
            Probe.bind("group_class", OwnGroup.class);
            Probe.bind("loader_class", OwnLoader.class);
            Probe.bind("reference_class", OwnReference.class);
            Probe.bind("throwable_class", OwnThrowable.class);
            Probe.bind("main", Thread.currentThread());
            Probe.bind("exception", new IllegalStateException("for the thread"));
            OwnThread thread = new OwnThread(group());
            try {
                thread.start();
            } catch (IllegalThreadStateException startedByAgent) {
                thread.run();
            }
            thread.join();
            Probe.fact("told", thread.told);
            Probe.checkpoint("constructed");
            return null;
        }

        private static Object group() {
            return new OwnGroup(loader());
        }

        private static Object loader() {
            return new OwnLoader(reference());
        }

        private static Object reference() {
            return new OwnReference(throwable());
        }

        private static Object throwable() {
            return new OwnThrowable(string());
        }

        private static String string() {
            return new String(characters());
        }

        private static char[] characters() {
            Probe.checkpoint("allocated");
            return DONE.toCharArray();
        }

        /** A thread. */
        static final class OwnThread extends Thread {
            private final Object group;
            private volatile String told;

            OwnThread(Object group) {
                super("own");
                this.group = group;
            }

            @Override
            public void run() {
                OwnLoader loader = (OwnLoader) ((OwnGroup) group).loader;
                told = ((OwnReference) loader.reference).get().getMessage();
            }
        }

        /** A thread group. */
        static final class OwnGroup extends ThreadGroup {
            private final Object loader;

            OwnGroup(Object loader) {
                super("own");
                this.loader = loader;
            }
        }

        /** A class loader. */
        static final class OwnLoader extends ClassLoader {
            private final Object reference;

            OwnLoader(Object reference) {
                this.reference = reference;
            }
        }

        /** A weak reference. */
        static final class OwnReference extends WeakReference<Throwable> {
            private final Throwable kept;

            OwnReference(Object throwable) {
                super((Throwable) throwable);
                kept = (Throwable) throwable;
            }
        }

        /** An exception. */
        static final class OwnThrowable extends Exception {
            private static final long serialVersionUID = 1;

            OwnThrowable(String text) {
                super(text);
            }
        }
    }
}
