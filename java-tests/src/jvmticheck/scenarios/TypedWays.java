package jvmticheck.scenarios;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;

/**
 * Methods of every result type that spin when they are called first, and three ways to call them: by bytecode after many calls,
 * by a method handle and by reflection. The loops are without a call, so that the frame is on top; see `Bodies.SOME`.
 */
final class TypedWays {
    static final String[] TYPES = {"boolean", "byte", "short", "char", "int", "long", "float", "double", "object", "void"};
    static final String[] WAYS = {"hot", "handle", "reflected"};

    private static final int OFTEN = 20000;

    private TypedWays() {
    }

    /** Calls the method of that type in that way and tells what it returned; the caller has a variable of its own. */
    static String outcome(String type, String way, Calls calls) {
        int kept = 77;
        String told;
        try {
            told = String.valueOf(call(type, way, calls));
        } catch (Throwable thrown) {
            told = thrown.toString();
        }
        return told + " " + kept;
    }

    private static Object call(String type, String way, Calls calls) throws Throwable {
        Method method = method(type);
        switch (way) {
            case "handle":
                MethodHandle handle = MethodHandles.lookup().unreflect(method);
                return (Object) handle.asType(MethodType.methodType(Object.class, Calls.class)).invokeExact(calls);
            case "reflected":
                return method.invoke(null, calls);
            default:
                Calls warming = Calls.warming();
                for (int i = 0; i < OFTEN; i++) {
                    direct(type, warming);
                }
                return direct(type, calls);
        }
    }

    /** The name of the method of that type. */
    static String name(String type) {
        return "spin" + Character.toUpperCase(type.charAt(0)) + type.substring(1);
    }

    private static Method method(String type) throws NoSuchMethodException {
        return TypedWays.class.getMethod(name(type), Calls.class);
    }

    private static Object direct(String type, Calls calls) {
        switch (type) {
            case "boolean":
                return spinBoolean(calls);
            case "byte":
                return spinByte(calls);
            case "short":
                return spinShort(calls);
            case "char":
                return (int) spinChar(calls);
            case "int":
                return spinInt(calls);
            case "long":
                return spinLong(calls);
            case "float":
                return spinFloat(calls);
            case "double":
                return spinDouble(calls);
            case "object":
                return spinObject(calls);
            default:
                spinVoid(calls);
                return null;
        }
    }

    public static boolean spinBoolean(Calls calls) {
        calls.enter(0, 0, 0);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        calls.leave(0, 0);
        return false;
    }

    public static byte spinByte(Calls calls) {
        calls.enter(0, 0, 0);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        calls.leave(0, 0);
        return (byte) 1;
    }

    public static short spinShort(Calls calls) {
        calls.enter(0, 0, 0);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        calls.leave(0, 0);
        return (short) 1;
    }

    public static char spinChar(Calls calls) {
        calls.enter(0, 0, 0);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        calls.leave(0, 0);
        return 'a';
    }

    public static int spinInt(Calls calls) {
        calls.enter(0, 0, 0);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        calls.leave(0, 0);
        return 1;
    }

    public static long spinLong(Calls calls) {
        calls.enter(0, 0, 0);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        calls.leave(0, 0);
        return 1;
    }

    public static float spinFloat(Calls calls) {
        calls.enter(0, 0, 0);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        calls.leave(0, 0);
        return 1;
    }

    public static double spinDouble(Calls calls) {
        calls.enter(0, 0, 0);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        calls.leave(0, 0);
        return 1;
    }

    public static Object spinObject(Calls calls) {
        calls.enter(0, 0, 0);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        calls.leave(0, 0);
        return "text";
    }

    public static void spinVoid(Calls calls) {
        calls.enter(0, 0, 0);
        for (; calls.rounds < calls.limit; calls.rounds++) {
            if (calls.rounds % Bodies.SOME == 0) {
                calls.made = new byte[0];
                calls.reached = calls.rounds;
            }
        }
        calls.leave(0, 0);
    }
}
