package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads in Object.wait, which has been called so often that a JVM compiles what is native of it. */
public final class HotWait implements Scenario {
    /** Calls after which HotSpot compiles a native method. */
    private static final int MANY = 20_000;

    @Override
    public void run() throws Exception {
        Object monitor = new Object();
        Probe.bind("monitor", monitor);
        callOften(monitor);
        Probe.fact("compiled", Probe.mayHaveCompiled(Object.class, "wait0") || Probe.mayHaveCompiled(Object.class, "wait") ? 1 : 0);
        try (Stage stage = new Stage()) {
            stage.start(stage.cast("platform", stage.bodies.await(monitor, false)), State.WAITING, "wait");
            Thread virtual = virtual(stage, monitor);
            if (virtual != null) {
                Probe.bind("virtual", virtual);
                stage.start(virtual, State.WAITING, "wait");
            }
            Probe.checkpoint("waiting");
        }
    }

    private static Thread virtual(Stage stage, Object monitor) {
        try {
            return stage.keep(Virtual.thread("virtual", stage.bodies.await(monitor, false)));
        } catch (ReflectiveOperationException notBefore21) {
            return null;
        }
    }

    /** Waits while the thread is interrupted, so that each call ends at once. */
    private static void callOften(Object monitor) {
        for (int call = 0; call < MANY; call++) {
            Thread.currentThread().interrupt();
            synchronized (monitor) {
                try {
                    monitor.wait();
                } catch (InterruptedException asWanted) {
                    Thread.interrupted();
                }
            }
        }
    }
}
