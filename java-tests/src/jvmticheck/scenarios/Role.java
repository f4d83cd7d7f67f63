package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;

/** A part in the cast of `Explored`, which one thread after the other may play. */
final class Role {
    /** How long `repair` waits for a thread to be in its state again, before another thread takes its place. */
    private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(100);
    /**
     * How long a new thread has to be in its state for the first time, and a thread that was asked for something to notice: another
     * JVM costs about as much.
     */
    static final long START_PATIENCE = TimeUnit.MILLISECONDS.toNanos(500);
    /** The same where there is no other JVM to be had: the cases that `explore` has printed. */
    private static final long LAST_PATIENCE = TimeUnit.SECONDS.toNanos(5);
    /** The exit code that asks `explore` for another JVM, because this one cannot be repaired. */
    private static final int BEYOND_REPAIR = 86;
    /** The number of times that something else than an interrupt is thrown in a thread before its thread ends of it. */
    static final int LIVES = 4;
    /** What `standing` is while its thread is on its way. */
    static final int NOWHERE = -1;
    /** How often a thread looks for what comes soon, before it rests in between. */
    private static final int SOON = 16;

    /** What a thread does. */
    enum Kind {
        FRESH(State.NEW, ""),
        ENDED(State.TERMINATED, ""),
        PARKED(State.WAITING, "park"),
        SLEEPING(State.TIMED_WAITING, "sleep"),
        WAITING(State.WAITING, "wait"),
        BLOCKED(State.BLOCKED, "enter"),
        IN_NATIVE(State.RUNNABLE, "stay");

        final State state;
        final String method;

        Kind(State state, String method) {
            this.state = state;
            this.method = method;
        }

        /** Whether an interrupt wakes it. */
        boolean isWakeable() {
            return this == PARKED || this == SLEEPING || this == WAITING;
        }
    }

    final String name;
    final Kind kind;
    private final boolean virtual;
    Thread thread;
    private Explored.Loop loop;
    /** How often its thread was woken. */
    volatile int woken;
    /** How often something else than an interrupt was thrown in its thread. */
    int stopped;
    /** That number when `rouse` began. */
    int before;
    /** Whether it has been woken, and has not noticed yet. */
    volatile boolean due;
    /** The number of times at which its thread was last seen where it should be; less than 0: it was not. */
    private int seen = -1;
    /** Whether its stack was looked at: a thread that has been in its state before loads no class on its way there. */
    private boolean looked;

    Role(String name, boolean virtual, Kind kind) {
        this.name = name;
        this.virtual = virtual;
        this.kind = kind;
    }

    /** Another thread takes the part. */
    void begin() throws Exception {
        seen = -1;
        due = false;
        loop = new Explored.Loop(this);
        Part part = new Part(loop);
        thread = virtual ? Virtual.thread(name, part) : new Part.Actor(name, part);
        if (kind != Kind.FRESH) {
            thread.start();
        }
        long patience = exploring() ? START_PATIENCE : LAST_PATIENCE;
        long start = System.nanoTime();
        for (int looks = 0; !isInState() && System.nanoTime() - start < patience; looks++) {
            rest(looks);
        }
        Probe.bind(name, thread);
    }

    /** Whether the thread is in the state of the part, as far as Java tells. */
    private boolean isInState() {
        State state = thread.getState();
        // The first updates of JDK 21 report WAITING for a virtual thread that waits with a timeout.
        boolean timed = kind == Kind.SLEEPING && state == State.WAITING;
        int now = woken;
        if (state != kind.state && !timed || due || kind.isWakeable() && thread.isInterrupted()) {
            seen = -1;
        } else if (seen != now && (kind.method.isEmpty() || isStanding(now))) {
            looked = true;
            seen = now;
        }
        return seen == now;
    }

    /** Whether the thread is where it should be, having been woken so often. To look at the stack takes long. */
    private boolean isStanding(int now) {
        return loop.standing == now && (looked && kind != Kind.IN_NATIVE || isIn(kind.method));
    }

    private boolean isIn(String method) {
        StackTraceElement[] stack = thread.getStackTrace();
        for (int i = 0; i < stack.length && i < 6; i++) {
            if (stack[i].getMethodName().startsWith(method)) {
                return true;
            }
        }
        return false;
    }

    void repair() throws Exception {
        long start = System.nanoTime();
        for (int looks = 0; !isInState(); looks++) {
            boolean lost = thread.getState() == State.TERMINATED || kind == Kind.FRESH;
            if (lost || System.nanoTime() - start > PATIENCE) {
                end();
                if (kind == Kind.FRESH) {
                    // It is listed under its name as long as it lives.
                    thread.join(TimeUnit.NANOSECONDS.toMillis(PATIENCE));
                }
                begin();
                if (!isInState() && exploring()) {
                    Runtime.getRuntime().halt(BEYOND_REPAIR);
                }
                return;
            }
            rest(looks);
        }
    }

    /** Lets other threads run. What takes longer is not worth the processor. */
    private static void rest(int looks) {
        if (looks < SOON) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(Explored.REST);
        }
    }

    private static boolean exploring() {
        return Boolean.getBoolean("jvmticheck.explore");
    }

    /** Whether it has a thread that has been started and has not ended. */
    boolean isAlive() {
        return kind != Kind.FRESH && thread.getState() != State.TERMINATED;
    }

    void end() {
        loop.over = true;
        if (thread.getState() != State.NEW) {
            thread.interrupt();
        }
    }
}
