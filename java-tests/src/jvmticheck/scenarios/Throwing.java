package jvmticheck.scenarios;

/** Methods with an instruction each that throws, whatever they are called with. What calls them catches. */
final class Throwing {
    /** How many methods there are. */
    static final int KINDS = 28;
    private static final IllegalStateException THROWN = new IllegalStateException("thrown");
    /** What nobody may take for granted that it is null. */
    private static volatile Throwing none;
    private static volatile int[] noInts;
    private static volatile Object[] noObjects;
    private static volatile RuntimeException noException;
    private static volatile Runnable noTask;
    private static volatile int zero;
    private static volatile int less = -1;
    private static volatile int[] ints = new int[2];
    private static volatile byte[] bytes = new byte[2];
    private static volatile Object[] objects = new Object[2];
    private static volatile Object[] strings = new String[2];
    private static volatile Object object = "a string";

    private int field;

    private Throwing() {
    }

    /** Calls the method of that number. */
    static Throwable attempt(int kind) {
        try {
            provoke(kind);
        } catch (Throwable thrown) {
            return thrown;
        }
        return null;
    }

    private static Object provoke(int kind) {
        switch (kind) {
            case 0: return idiv();
            case 1: return ldiv();
            case 2: return irem();
            case 3: return getfield();
            case 4: return putfield();
            case 5: return invokevirtual();
            case 6: return invokespecial();
            case 7: return invokeinterface();
            case 8: return arraylength();
            case 9: return iaload();
            case 10: return aaload();
            case 11: return iastore();
            case 12: return aastore();
            case 13: return outOfInts();
            case 14: return outOfBytes();
            case 15: return outOfObjects();
            case 16: return beyondInts();
            case 17: return beyondObjects();
            case 18: return stored();
            case 19: return checkcast();
            case 20: return newarray();
            case 21: return anewarray();
            case 22: return multianewarray();
            case 23: return athrow();
            case 24: return athrowNull();
            case 25: return monitorenter();
            case 26: return failedGetstatic();
            default: return failedNew();
        }
    }

    static Object idiv() {
        return 1 / zero;
    }

    static Object ldiv() {
        return 1L / zero;
    }

    static Object irem() {
        return 1 % zero;
    }

    static Object getfield() {
        return none.field;
    }

    static Object putfield() {
        none.field = 1;
        return null;
    }

    static Object invokevirtual() {
        return none.toString();
    }

    static Object invokespecial() {
        return none.secret();
    }

    private Object secret() {
        return field;
    }

    static Object invokeinterface() {
        noTask.run();
        return null;
    }

    static Object arraylength() {
        return noInts.length;
    }

    static Object iaload() {
        return noInts[0];
    }

    static Object aaload() {
        return noObjects[0];
    }

    static Object iastore() {
        noInts[0] = 1;
        return null;
    }

    static Object aastore() {
        noObjects[0] = THROWN;
        return null;
    }

    static Object outOfInts() {
        return ints[2];
    }

    static Object outOfBytes() {
        return bytes[less];
    }

    static Object outOfObjects() {
        return objects[2];
    }

    static Object beyondInts() {
        ints[less] = 1;
        return null;
    }

    static Object beyondObjects() {
        objects[2] = THROWN;
        return null;
    }

    static Object stored() {
        strings[0] = THROWN;
        return null;
    }

    static Object checkcast() {
        return (Throwing) object;
    }

    static Object newarray() {
        return new int[less];
    }

    static Object anewarray() {
        return new Throwing[less];
    }

    static Object multianewarray() {
        return new int[1][less];
    }

    static Object athrow() {
        throw THROWN;
    }

    static Object athrowNull() {
        throw noException;
    }

    static Object monitorenter() {
        synchronized (none) {
            return null;
        }
    }

    static Object failedGetstatic() {
        return Failed.value;
    }

    static Object failedNew() {
        return new Failed();
    }

    /** A class that cannot be initialised. */
    static final class Failed {
        static int value;

        static {
            fail();
        }

        private static void fail() {
            throw THROWN;
        }
    }
}
