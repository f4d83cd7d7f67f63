package jvmticheck.scenarios;

import java.util.Comparator;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Frames of initialisers, of a lambda expression and of methods that the compiler adds, each while it calls a method that marks a checkpoint. */
public final class UnusualFrames implements Scenario {
    private static volatile Object last;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        // A JVM may execute many instructions when it makes the class of a lambda expression.
        made();
        Probe.checkpoint("before");
        FreshLoader loader = new FreshLoader(Fresh.class);
        loader.initialised(Fresh.class.getName());
        last = loader.initialised(FreshInterface.class.getName()).getField("VALUE").get(null);
        Inner.call();
        made().run();
        compare(new Bridged());
        Probe.checkpoint("after");
    }

    private static Runnable made() {
        return () -> inLambda();
    }

    private static void inLambda() {
        Probe.checkpoint("lambda");
    }

    private static void secret() {
        Probe.checkpoint("accessor");
    }

    private static void compare(Comparator<String> comparator) {
        last = comparator.compare("one", "two");
    }

    /** Called by the initialiser of a class. */
    public static void initialising() {
        Probe.checkpoint("initialiser");
    }

    /** Called by the initialiser of an interface. */
    public static Object value() {
        Probe.checkpoint("interface_initialiser");
        return null;
    }

    /** A class that is new in each run. */
    static final class Fresh {
        static {
            initialising();
        }
    }

    /** An interface that is new in each run. */
    public interface FreshInterface {
        Object VALUE = value();
    }

    /** Calls a private method of the class around it, for which the compiler adds one. */
    static final class Inner {
        static void call() {
            secret();
        }
    }

    /** The compiler adds a method for the interface. */
    static final class Bridged implements Comparator<String> {
        @Override
        public int compare(String one, String other) {
            Probe.checkpoint("bridge");
            return one.length() - other.length();
        }
    }
}
