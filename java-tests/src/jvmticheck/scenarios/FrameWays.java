package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/** Methods of every kind with known variables that rest in a call; each calls `Rest.in` on a line of its own. */
final class FrameWays {
    /** The kinds of frames that each JVM has. */
    static final List<String> KINDS = Collections.unmodifiableList(Arrays.asList(
            "static", "instance", "private", "synchronised", "given", "constructor", "initialiser", "lambda", "reflected", "handle",
            "native_static", "native_instance"));
    /** The kind of those of hidden classes. */
    static final String HIDDEN = "hidden";
    static final String OBJECT = "the object";

    private FrameWays() {
    }

    /** A way to call a method of a kind. */
    public interface Way {
        void call(int number, long wide, float small, double large, Object object, Rest rest) throws Throwable;
    }

    /** The way to call a method of that kind. */
    static Way of(String kind) throws Exception {
        switch (kind) {
            case "instance": return new Instance();
            case "private": return (number, wide, small, large, object, rest) -> new Hiding().call(number, wide, small, large, object, rest);
            case "synchronised": return new Synchronised();
            case "given": return new Given() { };
            case "constructor": return Constructed::new;
            case "initialiser": return initialiser();
            case "lambda": return Lambdas.of();
            case "reflected": return reflected();
            case "handle": return handle();
            case HIDDEN: return hidden();
            case "native_static": return (number, wide, small, large, object, rest) -> CastNatives.call(() -> rest.in(CastNatives.class, null));
            case "native_instance": return FrameWays::callOnThis;
            default: return FrameWays::restStatic;
        }
    }

    /** What reflection, method handles and others call. */
    public static void restStatic(int number, long wide, float small, double large, Object object, Rest rest) {
        rest.in(FrameWays.class, null);
        rest.use(number, wide, small, large, object);
    }

    private static void callOnThis(int number, long wide, float small, double large, Object object, Rest rest) {
        CastNatives receiver = new CastNatives();
        receiver.callOnThis(() -> rest.in(CastNatives.class, receiver));
    }

    /** Its class file defines a hidden class, too. */
    static final class Instance implements Way {
        Instance() {
        }

        @Override
        public void call(int number, long wide, float small, double large, Object object, Rest rest) {
            rest.in(getClass(), this);
            rest.use(number, wide, small, large, object, this);
        }
    }

    static final class Hiding {
        private void call(int number, long wide, float small, double large, Object object, Rest rest) {
            rest.in(getClass(), this);
            rest.use(number, wide, small, large, object, this);
        }
    }

    static final class Synchronised implements Way {
        @Override
        public synchronized void call(int number, long wide, float small, double large, Object object, Rest rest) {
            rest.in(getClass(), this);
            rest.use(number, wide, small, large, object, this);
        }
    }

    interface Given extends Way {
        @Override
        default void call(int number, long wide, float small, double large, Object object, Rest rest) {
            rest.in(Given.class, this);
            rest.use(number, wide, small, large, object, this);
        }
    }

    static final class Constructed {
        Constructed(int number, long wide, float small, double large, Object object, Rest rest) {
            rest.in(getClass(), this);
            rest.use(number, wide, small, large, object, this);
        }
    }

    /** Of a class of its own, so that there is one lambda expression in it. */
    static final class Lambdas {
        private Lambdas() {
        }

        static Way of() {
            return (number, wide, small, large, object, rest) -> {
                rest.in(Lambdas.class, null);
                rest.use(number, wide, small, large, object);
            };
        }
    }

    /** A class of which each call of this initialises another one. */
    static final class Initialised {
        static Object object;

        static {
            int number = 5;
            long wide = 6L << 40;
            float small = 7.5f;
            double large = 8.25;
            Object mine = OBJECT;
            Rest.handed.in(Initialised.class, null);
            Rest.handed.use(number, wide, small, large, mine);
            object = mine;
        }

        /** Uses the class for the first time. */
        public static final class User implements Runnable {
            @Override
            public void run() {
                object = null;
            }
        }
    }

    private static Way initialiser() throws ReflectiveOperationException {
        Class<?> user = new FreshLoader(Initialised.class).initialised(Initialised.User.class.getName());
        Runnable initialising = (Runnable) user.getDeclaredConstructor().newInstance();
        return (number, wide, small, large, object, rest) -> {
            Rest.handed = rest;
            initialising.run();
        };
    }

    private static Way reflected() throws ReflectiveOperationException {
        Method method = FrameWays.class.getMethod("restStatic", int.class, long.class, float.class, double.class, Object.class, Rest.class);
        return (number, wide, small, large, object, rest) -> method.invoke(null, number, wide, small, large, object, rest);
    }

    private static Way handle() throws ReflectiveOperationException {
        MethodType type = MethodType.methodType(void.class, int.class, long.class, float.class, double.class, Object.class, Rest.class);
        MethodHandle handle = MethodHandles.lookup().findStatic(FrameWays.class, "restStatic", type);
        return (number, wide, small, large, object, rest) -> {
            handle.invokeExact(number, wide, small, large, object, rest);
        };
    }

    private static Way hidden() throws ReflectiveOperationException, IOException {
        return (Way) HiddenClasses.define(Instance.class).getDeclaredConstructor().newInstance();
    }
}
