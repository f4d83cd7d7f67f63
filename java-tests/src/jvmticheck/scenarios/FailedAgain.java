package jvmticheck.scenarios;

import java.io.IOException;
import java.util.function.Supplier;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that is new in each run, with instructions that cannot be linked. Each is executed twice by the same call of a method, and at
 * `between` in between; an agent may redefine the class there. Then a new call executes each once more.
 */
public final class FailedAgain implements Scenario {
    private static final String[] KINDS = {"field", "method", "access", "instance", "made", "class", "cast", "reference", "interface"};

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Code.class);
        byte[] file = edited();
        Attempts code = (Attempts) loader.define(Code.class.getName(), file).getDeclaredConstructor().newInstance();
        Probe.bind("class", code.getClass());
        Probe.bind("original", file);
        Probe.checkpoint("ready");
        Runnable between = new Runnable() {
            @Override
            public void run() {
                Probe.checkpoint("between");
            }
        };
        int alike = 0;
        StringBuilder odd = new StringBuilder();
        for (int kind = 0; kind < KINDS.length; kind++) {
            String[] errors = code.attempt(kind, between);
            String later = code.attempt(kind, null)[0];
            if (errors[0].endsWith("Error") && errors[0].equals(errors[1]) && errors[0].equals(later)) {
                alike++;
            } else {
                odd.append(' ').append(KINDS[kind]).append(' ').append(errors[0]).append(' ').append(errors[1]).append(' ').append(later);
            }
        }
        Probe.fact("alike", alike);
        Probe.fact("odd", odd.toString().trim());
        Probe.checkpoint("after");
    }

    /** Names members and a class that are not there, and others that are of another kind. */
    private static byte[] edited() throws IOException {
        return new EditedClass(Code.class).with("presentField", "absentField").with("presentMethod", "absentMethod")
                .with("presentBody", "absentBody").with("presentAnswer", "absentAnswer").with("openField", "shutField")
                .with("staticMethod", "instanceMethod").with("FailedAgain$CodePresent", "FailedNever").bytes();
    }

    /** The method of the class, for callers that its loader has not defined. */
    public interface Attempts {
        /** Executes the instruction of that kind, runs that and executes it again; returns what it has thrown. */
        String[] attempt(int kind, Runnable between);
    }

    /** The class; the names of what it uses are others in the class file that is defined. */
    public static final class Code implements Attempts {
        @Override
        public String[] attempt(int kind, Runnable between) {
            String[] errors = {"", ""};
            CodeWhole whole = new CodeHalf();
            Object made = errors;
            for (int i = 0; i < (between == null ? 1 : 2); i++) {
                try {
                    switch (kind) {
                        case 0:
                            made = CodeTarget.presentField;
                            break;
                        case 1:
                            made = CodeTarget.presentMethod();
                            break;
                        case 2:
                            made = CodeTarget.openField;
                            break;
                        case 3:
                            made = CodeTarget.staticMethod();
                            break;
                        case 4:
                            made = new CodePresent();
                            break;
                        case 5:
                            made = CodePresent.class;
                            break;
                        case 6:
                            made = (CodePresent) made;
                            break;
                        case 7:
                            Supplier<Object> supplier = CodeTarget::presentBody;
                            made = supplier;
                            break;
                        default:
                            made = whole.presentAnswer();
                    }
                    errors[i] = "none";
                } catch (Throwable thrown) {
                    errors[i] = thrown.getClass().getName();
                }
                if (i == 0 && between != null) {
                    between.run();
                }
            }
            return errors;
        }

        static String version() {
            return "original";
        }
    }

    /** What the class uses. */
    static class CodeTarget {
        static Object presentField;
        static Object openField;
        private static Object shutField;

        static Object presentMethod() {
            return shutField;
        }

        static Object presentBody() {
            return null;
        }

        static Object staticMethod() {
            return null;
        }

        Object instanceMethod() {
            return null;
        }
    }

    /** A class that the class file that is defined does not name. */
    static class CodePresent {
    }

    /** Declares a method. */
    interface CodeWhole {
        Object presentAnswer();
    }

    /** Implements it. */
    static class CodeHalf implements CodeWhole {
        @Override
        public Object presentAnswer() {
            return null;
        }
    }
}
