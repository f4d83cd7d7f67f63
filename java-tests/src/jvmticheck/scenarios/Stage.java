package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.Thread.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;

/** The threads of a scenario: it starts each under a name, brings it to a state, and ends all when it closes. */
final class Stage implements AutoCloseable {
    /** How long a thread may take to end; one that a case has left suspended never does. */
    private static final long PATIENCE = TimeUnit.SECONDS.toMillis(20);

    private final List<Thread> threads = new ArrayList<Thread>();
    final Bodies bodies = new Bodies();

    /** Creates a daemon thread of that name, without starting it. */
    static Thread daemon(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Creates a daemon thread of that name and binds it, without starting it. */
    Thread cast(String name, Runnable body) {
        return keep(daemon(name, body));
    }

    /** Takes charge of a thread: binds it to its name, and ends it with the others. */
    Thread keep(Thread thread) {
        threads.add(thread);
        Probe.bind(thread.getName(), thread);
        return thread;
    }

    /** All threads that it has taken charge of. */
    List<Thread> threads() {
        return threads;
    }

    /** Returns the thread that was cast under that name. */
    Thread thread(String name) {
        for (Thread thread : threads) {
            if (thread.getName().equals(name)) {
                return thread;
            }
        }
        throw new IllegalArgumentException("no thread " + name);
    }

    /** Starts a thread, unless it was created by attaching a native thread, which runs already. */
    static Thread begin(Thread thread) {
        if (thread.getState() == State.NEW) {
            thread.start();
        }
        return thread;
    }

    /** Starts a thread and waits until it is in that state, in a method whose name starts with the given text. */
    Thread start(Thread thread, State state, String method) {
        return startAny(thread, method, state);
    }

    /**
     * Starts a thread and waits until it waits with a timeout in such a method. The first updates of JDK 21 report WAITING for a virtual
     * thread that does.
     */
    Thread startTimed(Thread thread, String method) {
        return startAny(thread, method, State.TIMED_WAITING, State.WAITING);
    }

    private Thread startAny(Thread thread, String method, State... states) {
        bodies.arriving.add(thread);
        begin(thread);
        Probe.await(thread, method, states);
        bodies.arriving.remove(thread);
        return thread;
    }

    /** Starts a thread that spins in Java code. */
    Thread startSpinning(Thread thread) {
        return start(thread, State.RUNNABLE, "spin");
    }

    /** Starts a thread that enters a monitor that another thread holds. */
    Thread startBlocked(Thread thread) {
        return start(thread, State.BLOCKED, "enter");
    }

    /** Starts a thread and waits for its end. */
    Thread startAndEnd(Thread thread) {
        begin(thread);
        end(thread);
        return thread;
    }

    /** Starts a thread of that name that blocks in a native method, reading from a pipe. */
    Thread startReading(String name) throws IOException {
        final Thread thread = cast(name, bodies.read());
        thread.start();
        Probe.await(name + " to be in native code", new Probe.Condition() {
            @Override
            public boolean holds() {
                StackTraceElement[] stack = thread.getStackTrace();
                return stack.length > 0 && stack[0].isNativeMethod() && isBlockingRead(stack[0].getMethodName());
            }
        });
        return thread;
    }

    /** Excludes native methods on the way to the one that blocks, such as those of class initialisers. */
    private static boolean isBlockingRead(String method) {
        return method.equals("read0") || method.equals("poll");
    }

    /** States under `NAME.java-state` what Java reports about each thread. */
    void stateJavaStates() {
        for (Thread thread : threads) {
            Probe.fact(thread.getName() + ".java-state", thread.getState().name());
        }
    }

    /**
     * States what Java reports about a thread's stack: `NAME.frames`, the number of frames; and for the top frame of
     * each of the methods `NAME.METHOD.depth`, with 0 for the top, and `NAME.METHOD.line`, negative for a native
     * method. A method of the class library may have another name in another JVM and is then left out.
     */
    static void stateFrames(Thread thread, String... methods) {
        StackTraceElement[] stack = thread.getStackTrace();
        Probe.fact(thread.getName() + ".frames", stack.length);
        for (String method : methods) {
            int depth = 0;
            while (depth < stack.length && !stack[depth].getMethodName().equals(method)) {
                depth++;
            }
            if (depth < stack.length) {
                Probe.fact(thread.getName() + "." + method + ".depth", depth);
                Probe.fact(thread.getName() + "." + method + ".line", stack[depth].getLineNumber());
            }
        }
    }

    @Override
    public void close() {
        bodies.over = true;
        int roused = bodies.roused.get();
        if (roused > 0) {
            Probe.fact("roused", roused);
        }
        bodies.endReading();
        for (Thread thread : threads) {
            if (thread.getState() != State.NEW) {
                thread.interrupt();
            }
        }
        for (Thread thread : threads) {
            if (thread.getState() != State.NEW) {
                end(thread);
            }
        }
    }

    private static void end(Thread thread) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE);
        while (thread.getState() != State.TERMINATED) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new IllegalStateException(thread.getName() + " does not end, it is " + thread.getState());
            }
            try {
                thread.join(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
