package jvmticheck.scenarios;

/** A class of which another version is in a JAR file that an agent may add. */
public final class Twin {
    private Twin() {
    }

    /** Where this version of the class comes from. */
    public static String origin() {
        return "class path";
    }
}
