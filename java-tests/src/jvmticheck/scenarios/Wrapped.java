package jvmticheck.scenarios;

/**
 * Native methods below wrappers, as agents generate them. The name of each is that of a method that is not native,
 * preceded by the prefixes of the layers of wrappers.
 */
public final class Wrapped {
    private Wrapped() {
    }

    static native int first_wrapped();

    static int wrapped() {
        return 0;
    }

    /** There is an implementation under this name, and one under the name without the prefix. */
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

    /** The second environment has not wrapped this method. */
    static native int third_first_skipping();

    static int first_skipping() {
        return 0;
    }

    static int skipping() {
        return 0;
    }

    /** There is no wrapper with only the first prefix. */
    static native int second_first_lacking();

    static int lacking() {
        return 0;
    }
}
