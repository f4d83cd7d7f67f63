package jvmticheck.scenarios;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Loads and initialises a class of each kind between two checkpoints. */
public final class PreparedKinds implements Scenario {
    private static final Class<?>[] KINDS = {Plain.class, Abstract.class, Interface.class, Marker.class, Annotation.class, Constants.class,
        Generic.class, Failure.class, Worker.class, Heir.class};

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(PreparedKinds.class);
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        for (Class<?> kind : KINDS) {
            Class<?> type = Class.forName(kind.getName(), true, loader);
            Probe.bind(kind.getSimpleName().toLowerCase(java.util.Locale.ROOT), type);
        }
        Probe.checkpoint("after");
    }

    /** A class. */
    static final class Plain {
    }

    /** An abstract class. */
    abstract static class Abstract {
        abstract int value();
    }

    /** An interface with a constant and a method. */
    interface Interface {
        Object CONSTANT = new Object();

        int value();
    }

    /** An interface without members. */
    interface Marker {
    }

    /** An annotation. */
    @Retention(RetentionPolicy.RUNTIME)
    @interface Annotation {
        int value() default 1;
    }

    /** An enum. */
    enum Constants {
        ONE, TWO
    }

    /** A generic class. */
    static class Generic<T extends Comparable<T>> {
        T held;
    }

    /** An exception. */
    static class Failure extends Exception {
        private static final long serialVersionUID = 1;
    }

    /** A thread. */
    static class Worker extends Thread {
    }

    /** A class that extends another one of the same loader. */
    static final class Heir extends Generic<String> implements Marker {
    }
}
