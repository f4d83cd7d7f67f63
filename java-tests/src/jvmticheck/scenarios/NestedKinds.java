package jvmticheck.scenarios;

import java.lang.reflect.Array;
import java.util.List;
import java.util.function.Supplier;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Nested classes of each access with arrays of them, an interface with an initialiser, and a class with rarer members. */
public final class NestedKinds implements Scenario {
    static int initialised;

    @Override
    public void run() {
        bind("public", Open.class);
        bind("protected", Guarded.class);
        bind("package", Near.class);
        bind("private", Own.class);
        bind("interface", Constants.class);
        Probe.bind("initialised", Initialised.class);
        Probe.bind("members", Members.class);
        Probe.bind("unfinished", Unfinished.class);
        Probe.bind("level", Level.LOW.getDeclaringClass());
        Probe.bind("members_array", Members[].class);
        Probe.fact("members.methods", Members.class.getDeclaredMethods().length + Members.class.getDeclaredConstructors().length);
        initialised += Initialised.NUMBER;
        new Members<Integer>().suppliers();
        new Unfinished() {
            @Override
            public void only() {
                initialised++;
            }
        }.only();
        Probe.checkpoint("ready");
    }

    private static void bind(String name, Class<?> type) {
        Object array = Array.newInstance(type, 0);
        Probe.bind(name, type);
        Probe.bind(name + "_array", array.getClass());
        Probe.bind(name + "_matrix", Array.newInstance(array.getClass(), 0).getClass());
    }

    /** A public class. */
    public static class Open {
    }

    /** A protected class. */
    protected static class Guarded {
    }

    /** A class that its package can use. */
    static class Near {
    }

    private static class Own {
    }

    /** An interface with constants. */
    interface Constants {
        int ONE = 1;
        String TEXT = "text";
        Object MADE = new Object();
    }

    /** An interface with an initialiser. */
    interface Initialised {
        int NUMBER = Integer.parseInt("7");

        void only();
    }

    /** A class that leaves the method of its interface to its heirs. */
    abstract static class Unfinished implements Initialised {
    }

    /** An enumeration. */
    enum Level {
        LOW, HIGH
    }

    /** A class that implements an interface with constants, and has fields of generic types and lambda expressions. */
    static class Members<T extends Number> implements Constants {
        T variable;
        static int number;
        T[] array;
        static List<String>[] lists;
        List<? super T> bounded;
        int[] plain;

        <E extends Exception> T thrown(List<? extends T> list) throws E {
            return list.get(0);
        }

        Supplier<Object> suppliers() {
            Supplier<Object> outer = () -> {
                Supplier<Object> inner = () -> array;
                return inner.get();
            };
            return number == 0 ? outer : () -> number;
        }
    }
}
