package jvmticheck.scenarios;

import java.lang.reflect.Method;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;

import jvmticheck.Probe;

/** What a thread of the program that carries a virtual thread has to do. */
final class CarrierTasks implements Executor {
    static final Runnable NOTHING = new Runnable() {
        @Override
        public void run() {
        }
    };

    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<Runnable>();

    /**
     * Creates a virtual thread whose carrier is whichever thread takes these tasks, and states in the fact `carried.found` whether the class library has a
     * constructor for that; if it has none, returns null.
     */
    Thread carried(Runnable body) {
        Thread carried = scheduled("carried", body);
        Probe.fact("carried.found", carried == null ? 0 : 1);
        return carried;
    }

    private Thread scheduled(String name, Runnable body) {
        try {
            Method create = Class.forName("java.lang.ThreadBuilders")
                    .getDeclaredMethod("newVirtualThread", Executor.class, String.class, int.class, Runnable.class);
            create.setAccessible(true);
            return (Thread) create.invoke(null, this, name, 0, body);
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    boolean isEmpty() {
        return tasks.isEmpty();
    }

    /** Waits for the next task, whoever interrupts the thread. */
    Runnable take() {
        for (;;) {
            try {
                return tasks.take();
            } catch (InterruptedException e) {
                continue;
            }
        }
    }
}
