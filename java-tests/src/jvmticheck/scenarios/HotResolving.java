package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Methods, which may have been compiled, with a call that needs a class for the first time: the JVM asks the class loader for it, or initialises it.
 * The called method has been called before, so that it may have been compiled, too.
 */
public final class HotResolving implements Scenario {
    private static final String FRESH = HotResolving.class.getName() + "$Fresh";

    /** The way of the call that may need the class now. */
    private static String way = "";

    /** What makes the call. */
    public interface Caller {
        int call(boolean really);
    }

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        run("inherited", InheritedCaller.class);
        run("instance", InstanceCaller.class);
        run("interface", InterfaceCaller.class);
        run("initialised", InitialisedCaller.class);
    }

    private static void run(String name, Class<?> type) throws Exception {
        new Base().sum(3);
        Base.total(3);
        Heirs.heir(false);
        Loader loader = new Loader();
        Caller caller = (Caller) loader.loadClass(type.getName()).getDeclaredConstructor().newInstance();
        Probe.bind(name + "_class", name.equals("initialised") ? loader.loadClass(FRESH) : Base.class);
        caller.call(false);
        way = name;
        int sum = caller.call(true);
        Probe.checkpoint(name + "_after");
        Probe.fact(name + ".sum", sum);
        Probe.fact(name + ".needed", way.equals(name) ? 0 : 1);
        way = "";
    }

    /** Reaches the checkpoint of the call, if that needs a class. */
    public static void needed(String name) {
        if (name.equals(way)) {
            way = "";
            Probe.checkpoint(name);
        }
    }

    /** Defines the callers, and a class that is initialised; says when others are asked for that the calls need. */
    private static final class Loader extends FreshLoader {
        Loader() {
            super(HotResolving.class);
        }

        @Override
        boolean isOwn(String name) {
            if (name.equals(Heir.class.getName()) || name.equals(Summing.class.getName())) {
                needed(way);
            }
            return name.equals(FRESH) || name.endsWith("Caller") && !name.equals(Caller.class.getName());
        }
    }

    /** What is called. */
    public interface Summing {
        int sum(int count);
    }

    /** The class of what is called. */
    public static class Base implements Summing {
        static int step = 1;

        @Override
        public int sum(int count) {
            int sum = 0;
            for (int i = 0; i < count; i++) {
                sum += step;
            }
            return sum;
        }

        public static int total(int count) {
            int sum = 0;
            for (int i = 0; i < count; i++) {
                sum += step;
            }
            return sum;
        }
    }

    /** The class that the calls name. */
    public static class Heir extends Base {
    }

    /** What gives the callers what they call. */
    public static class Heirs {
        private static final Heir INSTANCE = new Heir();

        public static Heir heir(boolean really) {
            return really ? INSTANCE : null;
        }

        public static Summing summing(boolean really) {
            return heir(really);
        }
    }

    /** Calls a static method that a class inherits which is not loaded. */
    public static final class InheritedCaller implements Caller {
        @Override
        public int call(boolean really) {
            return really ? Heir.total(3) : 0;
        }
    }

    /** Calls a method of an instance of a class that is not loaded. */
    public static final class InstanceCaller implements Caller {
        @Override
        public int call(boolean really) {
            Heir heir = Heirs.heir(really);
            return heir == null ? 0 : heir.sum(3);
        }
    }

    /** Calls a method of an interface that is not loaded. */
    public static final class InterfaceCaller implements Caller {
        @Override
        public int call(boolean really) {
            Summing summing = Heirs.summing(really);
            return summing == null ? 0 : summing.sum(3);
        }
    }

    /** Calls a static method of a class whose initialiser calls it, too. */
    public static final class InitialisedCaller implements Caller {
        @Override
        public int call(boolean really) {
            return really ? Fresh.total(3) : 0;
        }
    }

    /** The class that is initialised. */
    public static class Fresh {
        static int step = 1;

        static {
            total(3);
            needed("initialised");
        }

        public static int total(int count) {
            int sum = 0;
            for (int i = 0; i < count; i++) {
                sum += step;
            }
            return sum;
        }
    }
}
