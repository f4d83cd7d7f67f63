package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * The monitors of objects of every kind. For each, a thread waits to enter it, enters it, waits on it, and is notified.
 */
public class MonitorKinds extends OnPlatformThreads implements Scenario {
    private static final String[] KINDS = {"object", "array", "array_of_objects", "string", "class", "thread"};

    @Override
    public final void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        for (String kind : KINDS) {
            if (Probe.isUsed(kind) || Probe.isUsed(kind + "_contended")) {
                use(kind, made(kind));
            }
        }
        Probe.checkpoint("after");
    }

    private void use(String kind, Object monitor) throws Exception {
        try (Stage stage = new Stage()) {
            Thread worker = stage.keep(create(kind + "_worker", body(monitor)));
            Probe.bind(kind, monitor);
            Probe.checkpoint(kind);
            synchronized (monitor) {
                stage.start(worker, State.BLOCKED, "enter");
                Probe.checkpoint(kind + "_contended");
            }
            Probe.await(worker, State.WAITING, "wait");
            Probe.checkpoint(kind + "_waiting");
            synchronized (monitor) {
                monitor.notifyAll();
            }
            Probe.await(worker, State.TERMINATED);
            Probe.checkpoint(kind + "_done");
        }
    }

    private static Object made(String kind) {
        switch (kind) {
            case "array": return new int[3];
            case "array_of_objects": return new Object[3];
            case "string": return new String("a monitor");
            case "class": return Unused.class;
            case "thread": return new Thread("a monitor");
            default: return new Object();
        }
    }

    /** Whether the threads are interrupted while they wait to enter. */
    boolean isInterrupted() {
        return false;
    }

    private Runnable body(final Object monitor) {
        return new Runnable() {
            @Override
            public void run() {
                if (isInterrupted()) {
                    Thread.currentThread().interrupt();
                }
                enterAndWait(monitor);
            }
        };
    }

    private static void enterAndWait(Object monitor) {
        synchronized (monitor) {
            Thread.interrupted();
            try {
                monitor.wait();
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** A class whose monitor nobody else uses. */
    private static final class Unused {
    }
}
