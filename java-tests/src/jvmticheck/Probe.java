package jvmticheck;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The scenario's side of the probe agent: marks checkpoints, names objects and states facts, all of which the agent
 * records. The native methods exist only when the agent is loaded.
 */
public final class Probe {
    /** How long a scenario may wait for a state before it is declared stuck; far beyond what a slow machine needs. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(60);

    private Probe() {
    }

    /** Marks a moment: on the calling thread the plan's cases take the steps that wait for a checkpoint of this name. */
    public static native void checkpoint(String name);

    /** Gives an object a name by which the plan's steps can pass it to a function, until the scenario run ends. */
    public static native void bind(String name, Object object);

    /** States something that the scenario knows by itself. */
    public static native void fact(String key, String value);

    /** States a number that the scenario knows by itself. */
    public static native void fact(String key, long value);

    /** States bytes that the scenario knows by itself, such as class files. */
    public static native void fact(String key, byte[] value);

    /**
     * Tells whether a case of this scenario run takes steps at the checkpoint of this name, or names the object of this name. A
     * scenario may leave out what no case uses.
     */
    public static native boolean isUsed(String name);

    /** Returns the loaded classes and arrays, for the scenario to choose from. */
    public static native Class<?>[] loadedClasses();

    /** Tells whether the JVM says that it has compiled code of the first method of that name; not if it cannot say. */
    public static native boolean isCompiled(Class<?> type, String method);

    /** Tells whether the JVM says that it has compiled code of any method. */
    public static native boolean hasCompiled();

    /** Tells whether nothing speaks against compiled code of that method: the JVM says that it has some, or says so of no method at all. */
    public static boolean mayHaveCompiled(Class<?> type, String method) {
        return isCompiled(type, method) || !hasCompiled();
    }

    /** Sends this process the signal that asks a VM for a data dump, SIGQUIT, and tells whether it could be sent. */
    public static native boolean requestDataDump();

    static native void runBegin(int run);

    static native void runEnd(int run);

    /**
     * A thread whose stack Java does not show, such as those of RunAgentThread before JDK 19; it tells when it is about to enter a
     * state.
     */
    public interface Unseen {
        /** Whether it is about to, or has. */
        boolean hasArrived();
    }

    /** A condition that a scenario waits for. */
    public interface Condition {
        /** Whether the condition holds now. */
        boolean holds();
    }

    /** Waits until the thread is in one of the given states. */
    public static void await(final Thread thread, Thread.State... states) {
        final List<Thread.State> any = Arrays.asList(states);
        await(thread.getName() + " to be " + any, new Condition() {
            @Override
            public boolean holds() {
                return any.contains(thread.getState());
            }
        });
    }

    /** Waits until the thread's top frame is a method of the given name. */
    public static void awaitStackTop(Thread thread, String method) {
        awaitFrame(thread, method, 1);
    }

    /** Waits until one of the thread's top frames is a method of the given name. */
    public static void awaitFrame(final Thread thread, final String method, final int frames) {
        await(thread.getName() + " to be in " + method, new Condition() {
            @Override
            public boolean holds() {
                StackTraceElement[] stack = thread.getStackTrace();
                for (int i = 0; i < stack.length && i < frames; i++) {
                    if (stack[i].getMethodName().equals(method)) {
                        return true;
                    }
                }
                return false;
            }
        });
    }

    /**
     * Waits until the thread is in the given state while one of its top frames is a method whose name starts with the
     * given text. The state alone may occur earlier, when the thread loads a class on its way. Method names differ
     * between releases only in their endings, such as `wait` and `wait0`.
     */
    public static void await(Thread thread, Thread.State state, String method) {
        await(thread, method, state);
    }

    /** The same for any of several states. */
    public static void await(final Thread thread, final String method, Thread.State... states) {
        final List<Thread.State> any = Arrays.asList(states);
        await(thread.getName() + " to be " + any + " in " + method, new Condition() {
            @Override
            public boolean holds() {
                return any.contains(thread.getState()) && isIn(thread, method, 6);
            }
        });
    }

    private static boolean isIn(Thread thread, String method, int frames) {
        if (thread instanceof Unseen) {
            return ((Unseen) thread).hasArrived();
        }
        StackTraceElement[] stack = thread.getStackTrace();
        for (int i = 0; i < stack.length && i < frames; i++) {
            if (stack[i].getMethodName().startsWith(method)) {
                return true;
            }
        }
        return false;
    }

    /** Waits until the condition holds, without sleeping. */
    public static void await(String what, Condition condition) {
        if (!await(PATIENCE, condition)) {
            throw new IllegalStateException("waited in vain for " + what);
        }
    }

    /** Waits until the condition holds, at most for so many nanoseconds, without sleeping. Tells whether it holds. */
    public static boolean await(long patience, Condition condition) {
        long start = System.nanoTime();
        while (!condition.holds()) {
            if (System.nanoTime() - start > patience) {
                return false;
            }
            Thread.yield();
        }
        return true;
    }
}
