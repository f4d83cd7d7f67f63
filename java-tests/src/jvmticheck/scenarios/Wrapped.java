package jvmticheck.scenarios;

/**
 * Native methods below wrappers, as agents make them: the name of each is that of a method which is not native, with the
 * prefixes of layers of wrappers before it.
 */
public final class Wrapped {
    private Wrapped() {
    }

    static native int first_wrapped();

    static int wrapped() {
        return 0;
    }

    /** Has an implementation under its own name, and there is one under the name without the prefix. */
    static native int first_own();

    static int own() {
        return 0;
    }

    static native int second_first_layered();

    static int first_layered() {
        return 0;
    }

    static int layered() {
        return 0;
    }

    /** The second environment has not wrapped it. */
    static native int third_first_skipping();

    static int first_skipping() {
        return 0;
    }

    static int skipping() {
        return 0;
    }

    /** There is no wrapper with the first prefix alone. */
    static native int second_first_lacking();

    static int lacking() {
        return 0;
    }
}
