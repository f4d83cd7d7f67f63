package jvmticheck.scenarios;

/** A class of which the JAR file has another version for release 9 and newer: it is a multi-release JAR file. */
public final class Versioned {
    private Versioned() {
    }

    /** What this version is for. */
    public static String release() {
        return "8";
    }
}
