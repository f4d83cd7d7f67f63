package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A parked thread with an object of the same class in a local variable of each of several frames. */
public final class StackedLocals implements Scenario {
    private final Local[] locals = {new Local(), new Local(), new Local(), new Local()};
    private Bodies bodies;
    volatile Object used;

    @Override
    public void run() throws Exception {
        String[] names = {"outer", "middle", "inner", "innermost"};
        for (int i = 0; i < names.length; i++) {
            Probe.bind(names[i] + "_local", locals[i]);
        }
        Probe.bind("local_class", Local.class);
        try (Stage stage = new Stage()) {
            bodies = stage.bodies;
            Thread thread = stage.start(stage.cast("stacked", new Runnable() {
                @Override
                public void run() {
                    outer(1);
                }
            }), State.WAITING, "park");
            Stage.stateFrames(thread, names);
            Probe.checkpoint("stacked");
        }
    }

    void outer(int argument) {
        Local local = locals[0];
        middle(argument);
        used = local;
    }

    private void middle(long argument) {
        Local local = locals[1];
        inner();
        used = local;
    }

    private void inner() {
        Local local = locals[2];
        innermost(1, 2L, 3.0);
        used = local;
    }

    private void innermost(int one, long two, double three) {
        Local local = locals[3];
        bodies.parkUntilOver(false);
        used = local;
    }

    /** The class of the objects. */
    static final class Local {
    }
}
