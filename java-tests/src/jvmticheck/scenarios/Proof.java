package jvmticheck.scenarios;

import jvmticheck.Probe;

/** Whether a thread spins in compiled code of a method: the JVM has compiled it, and the thread has spun for long since. */
final class Proof {
    /** Rounds in which a thread gets from interpreted into compiled code. */
    private static final long MANY = 1_000_000;
    /** Rounds after which a JVM that has not compiled anything has no compiler. */
    private static final long NO_COMPILER = 10 * MANY;
    /** Rounds after which a JVM that could compile the method has not. */
    private static final long TOO_MANY = 400 * MANY;

    private final Class<?> type;
    private final String method;
    /** Whether the JVM runs interpreted code only. */
    private final boolean isInterpreted = System.getProperty("java.vm.info").contains("interpreted");
    private long seenAt = -1;
    /** Whether the JVM has compiled any method; it may have, until it is asked. */
    private boolean hasCompiler = true;
    private boolean isAsked;

    Proof(Class<?> type, String method) {
        this.type = type;
        this.method = method;
    }

    /** Whether the proof is there, or never will be, after so many rounds. */
    boolean isOver(long rounds) {
        if (isInterpreted) {
            return rounds > 1;
        }
        if (rounds > MANY && seenAt < 0 && Probe.isCompiled(type, method)) {
            seenAt = rounds;
        }
        if (rounds > NO_COMPILER && seenAt < 0 && !isAsked) {
            isAsked = true;
            hasCompiler = Probe.hasCompiled();
        }
        return isThere(rounds) || !hasCompiler || rounds > TOO_MANY;
    }

    /** Whether the thread spins in compiled code. */
    boolean isThere(long rounds) {
        return seenAt >= 0 && rounds > seenAt + MANY;
    }
}
