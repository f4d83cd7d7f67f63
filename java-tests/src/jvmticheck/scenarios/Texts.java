package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that is new in each run, whose methods load many texts. In another version of the class the texts may be constants
 * whose indices need longer instructions.
 */
public final class Texts implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Loading.class);
        byte[] file = new EditedClass(Loading.class).bytes();
        Class<?> type = loader.define(Loading.class.getName(), file);
        Probe.bind("class", type);
        Probe.bind("file", file);
        Probe.fact("before", answer(type));
        Probe.checkpoint("ready");
        Probe.fact("after", answer(type));
        Probe.checkpoint("after");
    }

    private static String answer(Class<?> type) {
        try {
            String lines = (String) type.getMethod("lines").invoke(null);
            Object variables = type.getMethod("variables").invoke(null);
            Object chosen = type.getMethod("chosen", int.class).invoke(null, 2);
            return lines + " " + variables + " " + chosen + " " + type.getMethod("caught").invoke(null);
        } catch (Exception | LinkageError e) {
            return e + " " + e.getCause();
        }
    }

    /** The first methods have few kinds of instructions, whose lengths are known; that of a switch depends on where it is. */
    public static class Loading {
        static volatile String last;

        public static String lines() {
            last = "text1";
            last = "text2";
            last = "text3";
            last = "text4";
            last = "text5";
            last = "text6";
            return "text7";
        }

        public static String variables() {
            String first = "text1";
            String second = "text2";
            String third = "text3";
            String fourth = "text4";
            return fourth;
        }

        public static String chosen(int number) {
            last = "text1";
            switch (number) {
                case 1:
                    last = "text2";
                    break;
                case 2:
                    last = "text3";
                    break;
                default:
                    last = "text4";
            }
            return "text5";
        }

        public static String caught() {
            try {
                last = "text1";
                last = "text2";
                throw new IllegalStateException("text3");
            } catch (IllegalStateException e) {
                last = "text4";
                return e.getMessage();
            }
        }
    }
}
