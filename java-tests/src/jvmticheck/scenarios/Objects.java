package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Objects of many kinds to pass as arguments, and a thread parked below frames whose variables are known. */
public final class Objects implements Scenario {
    static int staticInt = 1;
    int instanceInt = 2;
    Object instanceObject = "three";

    @Override
    public void run() throws Exception {
        Probe.bind("object", new Object());
        Probe.bind("instance", this);
        Probe.bind("string", "a string");
        Probe.bind("throwable", new Exception("nobody throws this"));
        Probe.bind("class", Objects.class);
        Probe.bind("array", new int[] {1, 2, 3});
        Probe.bind("object_array", new Object[] {"one", null});
        Probe.bind("loader", Objects.class.getClassLoader());
        Probe.bind("group", new ThreadGroup("group"));
        Probe.bind("main", Thread.currentThread());
        final Object monitor = new Object();
        Probe.bind("monitor", monitor);
        try (final Stage stage = new Stage()) {
            stage.cast("new_thread", stage.bodies.spin());
            stage.cast("agent_thread", stage.bodies.spin());
            stage.startAndEnd(stage.cast("terminated", Bodies.enter(monitor)));
            stage.start(stage.cast("parked", new Runnable() {
                @Override
                public void run() {
                    outer(stage, 7, 8L, 9.5f, 10.25, "eleven");
                }
            }), Thread.State.WAITING, "park");
            stage.start(stage.cast("victim", stage.bodies.park(false)), Thread.State.WAITING, "park");
            stage.startSpinning(stage.cast("runner", stage.bodies.spin()));
            ready(1, 2L, 3f, 4.0, "five");
        }
    }

    /** The frame that marks the checkpoint: a variable of each type, in slots 0, 1, 3, 4 and 6. */
    static void ready(int i, long l, float f, double d, Object o) {
        Probe.checkpoint("ready");
    }

    static void outer(Stage stage, int i, long l, float f, double d, Object o) {
        int ownInt = i + 1;
        long ownLong = l + 1;
        Object ownObject = o;
        inner(stage, ownInt, ownLong);
        Probe.fact("outer.after", ownInt + " " + ownLong + " " + f + " " + d + " " + ownObject);
    }

    static void inner(Stage stage, int i, long l) {
        String text = i + "/" + l;
        stage.bodies.parkUntilOver(false);
        Probe.fact("inner.after", text);
    }
}
