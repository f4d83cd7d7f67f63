package jvmticheck.scenarios;

/** A class of which there is another version in a JAR file that an agent may add. */
public final class Twin {
    private Twin() {
    }

    /** Where it comes from. */
    public static String origin() {
        return "class path";
    }
}
