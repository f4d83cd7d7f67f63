package jvmticheck;

/** Runs scenarios one after the other. */
public final class Main {
    private Main() {
    }

    /** Arguments: the scenarios' simple class names, in the order of the plan's scenario runs. */
    public static void main(String[] scenarios) {
        for (int run = 0; run < scenarios.length; run++) {
            throwAndCatch();
            Probe.runBegin(run);
            try {
                create(scenarios[run]).run();
            } catch (Throwable failure) {
                Probe.fact("scenario-failed", describe(failure));
            }
            Probe.runEnd(run);
        }
    }

    /**
     * A JVM may believe after one case that an exception is still on its way in this thread, and then send no Exception to the
     * next case. That ends when one is caught.
     */
    private static void throwAndCatch() {
        try {
            throw new IllegalStateException("between two scenarios");
        } catch (IllegalStateException caught) {
            return;
        }
    }

    /** A scenario, which has not run. */
    static Scenario create(String scenario) throws ReflectiveOperationException {
        return (Scenario) type(scenario).getDeclaredConstructor().newInstance();
    }

    /** The class of a scenario: one of ours, or one of the user's, which may be in any package. */
    static Class<?> type(String scenario) throws ClassNotFoundException {
        try {
            return Class.forName("jvmticheck.scenarios." + scenario);
        } catch (ClassNotFoundException notOurs) {
            return Class.forName(scenario);
        }
    }

    private static String describe(Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable t = failure; t != null; t = t.getCause()) {
            text.append(text.length() == 0 ? "" : "\ncaused by ").append(t);
            for (StackTraceElement frame : t.getStackTrace()) {
                text.append("\n  at ").append(frame);
            }
        }
        return text.toString();
    }
}
