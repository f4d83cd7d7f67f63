package jvmticheck.scenarios;

/** The version for release 9 and newer. Its class file has another length. */
public final class Versioned {
    private Versioned() {
    }

    /** What this version is for. */
    public static String release() {
        String least = "9";
        return least + "..";
    }
}
