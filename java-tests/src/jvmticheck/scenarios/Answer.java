package jvmticheck.scenarios;

/** What the static method `answer` of a class returns. */
final class Answer {
    private Answer() {
    }

    /** The returned value as text, or what has been thrown instead, with its cause. */
    static String of(Class<?> type) {
        try {
            return String.valueOf(type.getMethod("answer").invoke(null));
        } catch (Exception | LinkageError e) {
            return e + " " + e.getCause();
        }
    }
}
