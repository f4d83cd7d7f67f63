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
        // What takes thousands of steps comes first.
        FreshLoader loader = new FreshLoader(Fresh.class);
        loader.loadClass(Fresh.class.getName());
        loader.loadClass(FreshInterface.class.getName());
        Runnable lambda = made();
        Bridged bridged = new Bridged();
        last = new Inner();
        Probe.checkpoint("before");
        loader.initialised(Fresh.class.getName());
        loader.initialised(FreshInterface.class.getName());
        Inner.call();
        lambda.run();
        compare(bridged);
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
