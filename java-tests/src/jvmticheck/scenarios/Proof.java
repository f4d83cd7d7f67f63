package jvmticheck.scenarios;

import jvmticheck.Probe;

/** Whether a thread spins in compiled code of a method: the JVM has compiled it, and the thread has spun for long since. */
final class Proof {
    /** Whether the JVM runs interpreted code only. */
    static final boolean IS_INTERPRETED = System.getProperty("java.vm.info").contains("interpreted");
    /** Rounds in which a thread gets from interpreted into compiled code. */
    private static final long MANY = 1_000_000;
    /** Rounds after which a JVM with a compiler has compiled a loop. */
    static final long ENOUGH = IS_INTERPRETED ? 1 : MANY;
    /** Rounds after which a JVM that has not compiled anything has no compiler. */
    private static final long NO_COMPILER = 10 * MANY;
    /** Rounds after which a JVM that could compile the method has not. */
    private static final long TOO_MANY = 400 * MANY;

    private final Class<?> type;
    private final String method;
    private long seenAt = -1;
    /** Rounds after which there is no hope. */
    private long most = IS_INTERPRETED ? 1 : NO_COMPILER;

    Proof(Class<?> type, String method) {
        this.type = type;
        this.method = method;
    }

    /** Whether the proof is there, or never will be, after so many rounds. */
    boolean isOver(long rounds) {
        if (rounds > MANY && seenAt < 0 && Probe.isCompiled(type, method)) {
            seenAt = rounds;
        }
        if (most == NO_COMPILER && rounds > most && Probe.hasCompiled()) {
            most = TOO_MANY;
        }
        return isThere(rounds) || rounds > most;
    }

    /** Whether the thread spins in compiled code. */
    boolean isThere(long rounds) {
        return seenAt >= 0 && rounds > seenAt + MANY;
    }
}
