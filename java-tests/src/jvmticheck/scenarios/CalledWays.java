package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;

/**
 * Methods of every kind that spin when they are called first. Each changes its arguments before it does, and never reads
 * `large` again, which a compiler may notice. The loops are without a call, so that the frame is on top; see `Bodies.SOME`.
 */
final class CalledWays {
    /** The kinds of method. */
    static final String[] KINDS = {
        "reflected", "reflected_often", "handle", "ordinary", "static", "synchronised", "given", "lambda", "constructor", "below_native",
        "hot", "inlined", "hidden", "initialiser",
    };

    private static final int OFTEN = 30000;
    private static final int SOMETIMES = 40;
    private static final int FEW = 3;

    private CalledWays() {
    }

    /** A way to call a method of a kind. */
    public interface Way {
        Object call(int number, long wide, double large, Calls calls) throws Throwable;
    }

    /** Calls the method with the known arguments and tells what came of it. */
    static String outcome(Way way, Calls calls) {
        int kept = 77;
        String told;
        try {
            told = String.valueOf(way.call(5, 6L << 40, 1.25, calls));
        } catch (Throwable thrown) {
            told = thrown.toString();
        }
        return told + " " + kept;
    }

    /** The way to call a method of that kind; null where there are no such methods. */
    static Way of(String kind) throws Exception {
        switch (kind) {
            case "ordinary": return new Ordinary();
            case "synchronised": return new Synchronised();
            case "given": return new Given() { };
            case "lambda": return Lambdas.of();
            case "constructor": return (number, wide, large, calls) -> new Constructed(number, wide, large, calls).result;
            case "reflected": return reflected();
            case "reflected_often": return often(spun(reflected()), SOMETIMES);
            case "handle": return spun(handle());
            case "handle_often": return often(handle(), OFTEN);
            case "below_native": return CalledWays::belowNative;
            case "hot": return often(new Hot(), OFTEN);
            case "inlined": return often(new Inlining(), OFTEN);
            case "hidden": return hidden();
            case "initialiser": return initialiser();
            default: return (number, wide, large, calls) -> spinStatic(number, wide, large, calls);
        }
    }

    /** What proves that a thread is in compiled code; null for kinds for which that makes no difference. */
    static Proof proof(String kind) {
        switch (kind) {
            case "hot": return new Proof(Hot.class, "call");
            case "inlined": return new Proof(Inlining.class, "call");
            case "handle":
            case "reflected":
            case "reflected_often": return new Proof(CalledWays.class, "spinStatic");
            default: return null;
        }
    }

    /** Whether the kind is one of compiled methods, so that there is none without the proof. */
    static boolean needsProof(String kind) {
        return kind.equals("hot") || kind.equals("inlined");
    }

    /** The method, after it has been called often. */
    private static Way often(Way way, int times) throws Exception {
        return warm(way, times, Calls.warming());
    }

    /** The method, after compilers have seen its loop come to an end. */
    private static Way spun(Way way) throws Exception {
        return warm(way, FEW, Calls.warmingFor(Proof.ENOUGH));
    }

    private static Way warm(Way way, int times, Calls warming) throws Exception {
        for (int i = 0; i < times; i++) {
            try {
                way.call(i, i, i, warming);
            } catch (Throwable thrown) {
                throw new IllegalStateException(thrown);
            }
        }
        return way;
    }

    /** Its class file defines a hidden class, too. */
    static final class Ordinary implements Way {
        Ordinary() {
        }

        @Override
        public Object call(int number, long wide, double large, Calls calls) {
            calls.enter(number++, wide++, large++);
            for (; calls.rounds < calls.limit; calls.rounds++) {
                if (calls.rounds % Bodies.SOME == 0) {
                    calls.made = new byte[0];
                    calls.reached = calls.rounds;
                }
            }
            return calls.leave(number, wide);
        }
    }

    static final class Synchronised implements Way {
        @Override
        public synchronized Object call(int number, long wide, double large, Calls calls) {
            calls.enter(number++, wide++, large++);
            for (; calls.rounds < calls.limit; calls.rounds++) {
                if (calls.rounds % Bodies.SOME == 0) {
                    calls.made = new byte[0];
                    calls.reached = calls.rounds;
                }
            }
            return calls.leave(number, wide);
        }
    }

    interface Given extends Way {
        @Override
        default Object call(int number, long wide, double large, Calls calls) {
            calls.enter(number++, wide++, large++);
            for (; calls.rounds < calls.limit; calls.rounds++) {
                if (calls.rounds % Bodies.SOME == 0) {
                    calls.made = new byte[0];
                    calls.reached = calls.rounds;
                }
            }
            return calls.leave(number, wide);
        }
    }

    static final class Hot implements Way {
        @Override
        public Object call(int number, long wide, double large, Calls calls) {
            calls.enter(number++, wide++, large++);
            for (; calls.rounds < calls.limit; calls.rounds++) {
                if (calls.rounds % Bodies.SOME == 0) {
                    calls.made = new byte[0];
                    calls.reached = calls.rounds;
                }
            }
            return calls.leave(number, wide);
        }
    }

    /** A compiler may make the called method a part of this one. */
    static final class Inlining implements Way {
        @Override
        public Object call(int number, long wide, double large, Calls calls) {
            return inlined(number, wide, large, calls);
        }

        private static Object inlined(int number, long wide, double large, Calls calls) {
            calls.enter(number++, wide++, large++);
            for (; calls.rounds < calls.limit; calls.rounds++) {
                if (calls.rounds % Bodies.SOME == 0) {
                    calls.made = new byte[0];
                    calls.reached = calls.rounds;
                }
            }
            return calls.leave(number, wide);
        }
    }

    static final class Constructed {
        Object result;

        Constructed(int number, long wide, double large, Calls calls) {
            calls.enter(number++, wide++, large++);
            for (; calls.rounds < calls.limit; calls.rounds++) {
                if (calls.rounds % Bodies.SOME == 0) {
                    calls.made = new byte[0];
                    calls.reached = calls.rounds;
                }
            }
            result = calls.leave(number, wide);
        }
    }

    /** What reflection, method handles and others call. */
    public static Object spinStatic(int number, long wide, double large, Calls calls) {
        calls.enter(number++, wide++, large++);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        return calls.leave(number, wide);
    }

    /** Of a class of its own, so that the name of the method is known. */
    static final class Lambdas {
        private Lambdas() {
        }

        static Way of() {
            return (number, wide, large, calls) -> {
                calls.enter(number++, wide++, large++);
                for (; calls.rounds < calls.limit; calls.rounds++) {
                    if (calls.rounds % Bodies.SOME == 0) {
                        calls.made = new byte[0];
                        calls.reached = calls.rounds;
                    }
                }
                return calls.leave(number, wide);
            };
        }
    }

    private static Way reflected() throws ReflectiveOperationException {
        final Method method = CalledWays.class.getMethod("spinStatic", int.class, long.class, double.class, Calls.class);
        return (number, wide, large, calls) -> method.invoke(null, number, wide, large, calls);
    }

    private static Way handle() throws ReflectiveOperationException {
        MethodType type = MethodType.methodType(Object.class, int.class, long.class, double.class, Calls.class);
        final MethodHandle handle = MethodHandles.lookup().findStatic(CalledWays.class, "spinStatic", type);
        return (number, wide, large, calls) -> (Object) handle.invokeExact(number, wide, large, calls);
    }

    /** A native method calls the method that spins. */
    private static Object belowNative(final int first, final long second, final double third, final Calls calls) {
        final Object[] result = new Object[1];
        CastNatives.call(new Runnable() {
            @Override
            public void run() {
                calls.enter(first, second, third);
                for (; calls.rounds < calls.limit; calls.rounds++) {
                    if (calls.rounds % Bodies.SOME == 0) {
                        calls.made = new byte[0];
                        calls.reached = calls.rounds;
                    }
                }
                result[0] = calls.leave(first, second);
            }
        });
        return result[0] == null ? "nothing" : result[0];
    }

    /** A class of which each call of this initialises another one. */
    static final class Initialised {
        static Object result;

        static {
            Calls calls = Calls.handed;
            calls.enter(5, 6L << 40, 1.25);
            for (; calls.rounds < calls.limit; calls.rounds++) {
                if (calls.rounds % Bodies.SOME == 0) {
                    calls.made = new byte[0];
                    calls.reached = calls.rounds;
                }
            }
            result = calls.leave(5, 6L << 40);
        }

        /** Uses the class for the first time. */
        public static final class User implements Way {
            @Override
            public Object call(int number, long wide, double large, Calls calls) {
                Calls.handed = calls;
                return result;
            }
        }
    }

    private static Way initialiser() throws ReflectiveOperationException {
        Class<?> user = new FreshLoader(Initialised.class).initialised(Initialised.User.class.getName());
        return (Way) user.getDeclaredConstructor().newInstance();
    }

    private static Way hidden() throws ReflectiveOperationException, IOException {
        Class<?> hidden = HiddenClasses.define(Ordinary.class);
        return hidden == null ? null : (Way) hidden.getDeclaredConstructor().newInstance();
    }
}
