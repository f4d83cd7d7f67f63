package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads that are stopped below frames whose methods and variables are known, all at the checkpoint `framed`. */
public final class Frames implements Scenario {
    /** The number of calls of `dig` on the stack of `$deep`. */
    static final int DEPTH = 50;

    private static volatile Bodies bodies;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", Frames.class);
        try (Stage stage = new Stage()) {
            bodies = stage.bodies;
            stage.cast("unstarted", stage.bodies.park(false));
            Thread framed = stage.start(stage.cast("framed", framed()), State.WAITING, "park");
            Thread deep = stage.start(stage.cast("deep", deep()), State.WAITING, "park");
            Thread nativeTop = stage.startReading("native_top");
            Object monitor = new Object();
            Probe.bind("monitor", monitor);
            synchronized (monitor) {
                Thread shallow = stage.start(stage.keep(shallow(monitor)), State.BLOCKED, "run");
                Thread spinner = stage.startSpinning(stage.cast("spinner", stage.bodies.spin()));
                Stage.stateFrames(framed, "inner", "<clinit>", "forName0", "middle", "outer", "run");
                Stage.stateFrames(deep, "dig");
                Stage.stateFrames(nativeTop, "run");
                Stage.stateFrames(shallow, "run");
                Stage.stateFrames(spinner, "run");
                Probe.fact("deep.calls", DEPTH);
                Probe.checkpoint("framed");
            }
        }
        Probe.checkpoint("after");
    }

    private static Runnable framed() {
        return new Runnable() {
            @Override
            public void run() {
                FrameVariables instance = new FrameVariables();
                Probe.bind("framed_this", instance);
                Probe.bind("framed_object", "the object");
                FrameVariables.outer(instance, true, (byte) -2, (short) -3, '\u0444', 5, 6L << 40, 7.5f, 8.25,
                        "the object");
            }
        };
    }

    /** The class initialiser that `FrameVariables.middle` triggers calls this; the caller of that initialiser is native. */
    public static void inner(int depth) {
        long wide = depth + (1L << 40);
        Object mine = "mine";
        bodies.parkUntilOver(false);
        Probe.fact("inner.after", depth + " " + wide + " " + mine);
    }

    private static Runnable deep() {
        return new Runnable() {
            @Override
            public void run() {
                dig(1);
            }

            private void dig(int level) {
                if (level < DEPTH) {
                    dig(level + 1);
                } else {
                    bodies.parkUntilOver(false);
                }
            }
        };
    }

    /** A thread whose only frame is its own `run`, which waits to enter the monitor. */
    private static Thread shallow(final Object monitor) {
        Thread thread = new Thread("shallow") {
            @Override
            public void run() {
                synchronized (monitor) {
                    monitor.hashCode();
                }
            }
        };
        thread.setDaemon(true);
        return thread;
    }
}
