package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A parked thread that has passed through native code twice. Each time the native method holds a JNI local reference to the
 * class of the body that it runs.
 */
public final class NativeLocals implements Scenario {
    private Bodies bodies;

    @Override
    public void run() throws Exception {
        Probe.bind("outer_class", Outer.class);
        Probe.bind("inner_class", Inner.class);
        try (Stage stage = new Stage()) {
            bodies = stage.bodies;
            Thread thread = stage.start(stage.cast("passed_twice", new Runnable() {
                @Override
                public void run() {
                    CastNatives.call(new Outer());
                }
            }), State.WAITING, "park");
            Stage.stateFrames(thread, "call", "callOnThis");
            Probe.checkpoint("parked");
        }
    }

    private final class Outer implements Runnable {
        @Override
        public void run() {
            new CastNatives().callOnThis(new Inner());
        }
    }

    private final class Inner implements Runnable {
        @Override
        public void run() {
            bodies.parkUntilOver(false);
        }
    }
}
