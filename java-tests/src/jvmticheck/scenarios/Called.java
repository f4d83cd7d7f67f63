package jvmticheck.scenarios;

/** The methods that `Methods` calls: one for each result type, and ones that throw, recurse and lock. */
class Called {
    final Object object = new Object();
    private final int number;

    Called(int number) {
        this.number = number;
    }

    boolean returnBoolean() {
        return true;
    }

    byte returnByte() {
        return -2;
    }

    short returnShort() {
        return -3;
    }

    char returnChar() {
        return '\u0444';
    }

    int returnInt() {
        return 5;
    }

    long returnLong() {
        return 6L << 40;
    }

    float returnFloat() {
        return 7.5f;
    }

    double returnDouble() {
        return 8.25;
    }

    Object returnObject() {
        return object;
    }

    static void returnVoid() {
    }

    synchronized int synchronised() {
        return number;
    }

    int recurse(int times) {
        return times == 0 ? 0 : 1 + recurse(times - 1);
    }

    /** Catches what `fail` threw to `passOn`, and `passOn` passed on. */
    Throwable failure() {
        try {
            return passOn(true);
        } catch (IllegalStateException thrown) {
            return thrown;
        }
    }

    private Throwable passOn(boolean failing) {
        fail(failing);
        return null;
    }

    private static void fail(boolean failing) {
        if (failing) {
            throw new IllegalStateException("failed");
        }
    }
}
