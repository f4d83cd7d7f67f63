package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A virtual thread in each state that Java code can bring it to, all at the checkpoint `states`. JDK 21 and newer. */
public final class VirtualThreads implements Scenario {
    @Override
    public void run() throws Exception {
        Object lock = new Object();
        Object monitor = new Object();
        Probe.bind("lock", lock);
        Probe.bind("monitor", monitor);
        try (Stage stage = new Stage()) {
            stage.keep(virtual("new_thread", stage.spin()));
            stage.start(stage.keep(virtual("terminated", Stage.enter(lock))), Thread.State.TERMINATED).join();
            stage.start(stage.keep(virtual("parked", stage.park(false))), Thread.State.WAITING);
            stage.start(stage.keep(virtual("timed_parked", stage.park(true))), Thread.State.TIMED_WAITING);
            stage.start(stage.keep(virtual("sleeper", stage.sleep())), Thread.State.TIMED_WAITING);
            stage.start(stage.keep(virtual("waiter", stage.await(monitor, false))), Thread.State.WAITING);
            stage.start(stage.keep(virtual("timed_waiter", stage.await(monitor, true))), Thread.State.TIMED_WAITING);
            synchronized (lock) {
                stage.start(stage.keep(virtual("blocked", Stage.enter(lock))), Thread.State.BLOCKED);
                stage.start(stage.keep(virtual("runner", stage.spin())), Thread.State.RUNNABLE);
                stage.stateJavaStates();
                Probe.checkpoint("states");
            }
        }
    }

    /** `Thread.ofVirtual().name(name).unstarted(body)`, by reflection, for this is compiled for JDK 8. */
    static Thread virtual(String name, Runnable body) throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        Method naming = type.getMethod("name", String.class);
        Method unstarted = type.getMethod("unstarted", Runnable.class);
        return (Thread) unstarted.invoke(naming.invoke(builder, name), body);
    }
}
