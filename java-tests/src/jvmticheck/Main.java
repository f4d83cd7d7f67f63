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
                String lacking = lacking(failure);
                if (lacking == null) {
                    Probe.fact("scenario-failed", describe(failure));
                } else {
                    Probe.fact("scenario-lacks", lacking);
                }
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

    /** A scenario, which has not run. With `/virtual` after its name, a virtual thread runs it. */
    static Scenario create(String scenario) throws ReflectiveOperationException {
        if (scenario.endsWith(OnVirtualThread.SUFFIX)) {
            return new OnVirtualThread(create(scenario.substring(0, scenario.length() - OnVirtualThread.SUFFIX.length())));
        }
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

    /** The class of the platform that this runtime lacks, as one without its module does, if that is why the scenario failed. */
    private static String lacking(Throwable failure) {
        for (Throwable t = failure; t != null; t = t.getCause()) {
            // A class that is asked for again may be missed without the cause that was told the first time.
            if (t.getMessage() != null && (t instanceof NoClassDefFoundError || t instanceof ClassNotFoundException)) {
                String name = t.getMessage().replace('/', '.');
                if (name.matches("(java|javax|jdk|sun|com\\.sun)\\.[\\w.$]+") && isMissing(name)) {
                    return name;
                }
            }
        }
        return null;
    }

    private static boolean isMissing(String type) {
        try {
            Class.forName(type, false, ClassLoader.getSystemClassLoader());
            return false;
        } catch (ClassNotFoundException missing) {
            return true;
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
