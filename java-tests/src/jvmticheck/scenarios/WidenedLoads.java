package jvmticheck.scenarios;

import java.util.Locale;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that is new in each run, with a method that loads constants, jumps, switches, loops and catches. A JVM may have to lengthen its
 * loads when an agent redefines the class with more constants between `ready` and `after`.
 */
public final class WidenedLoads implements Scenario {
    @Override
    public void run() throws Exception {
        @SuppressWarnings("unchecked")
        Callable<String> body = (Callable<String>) new FreshLoader(Body.class).made(Body.class);
        Probe.bind("class", body.getClass());
        Probe.bind("original", new EditedClass(Body.class).bytes());
        Probe.fact("before", body.call().toLowerCase(Locale.ROOT));
        Probe.checkpoint("ready");
        String after = body.call();
        Probe.fact("after", after.toLowerCase(Locale.ROOT));
        Probe.fact("capitals", after.contains("ZERO") ? 1 : 0);
        Probe.checkpoint("after");
    }

    /** The class that an agent redefines. */
    public static final class Body implements Callable<String> {
        @Override
        public String call() {
            StringBuilder told = new StringBuilder();
            for (int which = 0; which < 7; which++) {
                told.append(work(which)).append(' ');
            }
            return told.append(lineOf(1)).append(' ').append(lineOf(2)).toString();
        }

        private static String work(int which) {
            String first = "original";
            int sum = which;
            while (sum < 1000) {
                sum = sum * 3 + first.length();
            }
            switch (which) {
                case 0:
                    first += "zero";
                    break;
                case 1:
                    first = "one" + first;
                    break;
                case 2:
                    first = null;
                    break;
                default:
                    first += "more";
            }
            try {
                sum += first.length() > 9 ? 1 : 2;
                switch (sum % 1000) {
                    case 7:
                    case 77:
                        throw new IllegalStateException("thrown");
                    case 313:
                        return "returned" + sum;
                    default:
                        sum += "other".length();
                }
            } catch (NullPointerException absent) {
                return "absent";
            } finally {
                sum += "finally".length();
            }
            return first + sum;
        }

        /** How far below the first line of the method the exception has come from. */
        private static int lineOf(int which) {
            String text = "original";
            int begun = new Throwable().getStackTrace()[0].getLineNumber();
            try {
                if (which == 1) {
                    throw new IllegalStateException(text);
                }
                text = "other";
                throw new IllegalArgumentException(text);
            } catch (RuntimeException thrown) {
                return thrown.getStackTrace()[0].getLineNumber() - begun;
            }
        }
    }
}
