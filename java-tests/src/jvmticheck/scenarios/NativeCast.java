package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;

/** Threads that native code has started, in every state; see the scenarios `AttachedCast` and `AgentCast`. */
final class NativeCast extends Cast {
    /** How native code starts threads of a kind. */
    interface Kind {
        /** A thread that performs the part; one without a part stays in native code, without a frame of Java. */
        Thread start(String name, Part part) throws Exception;
    }

    private final Kind kind;

    private NativeCast(String prefix, Kind kind) {
        super(prefix);
        this.kind = kind;
    }

    /** Shows threads of the kind in every state, and that they have ended. */
    static void perform(String prefix, Kind kind) throws Exception {
        try (NativeCast cast = new NativeCast(prefix, kind)) {
            cast.gather();
        }
        Probe.checkpoint("after");
    }

    @Override
    Thread create(String name, Part part) throws Exception {
        return kind.start(name, part);
    }

    /** Brings the threads into their states and marks the checkpoints. */
    private void gather() throws Exception {
        Probe.fact("compiled", "not needed");
        others();
        rests();
        natives();
        startStaying(stage.keep(create(named("idle"), null)));
        rawWaiter();
        Thread notified = cast("reentering", bodies.awaitNotified(this.notified));
        stage.start(notified, State.WAITING, "wait");
        Guarded guarded = new Guarded();
        Probe.bind("guarded", guarded);
        synchronized (this.notified) {
            this.notified.notifyAll();
            Probe.await(notified, State.BLOCKED, "wait");
            synchronized (guarded) {
                stage.start(cast("blocked_method", guarded.body()), State.BLOCKED, "enter");
                synchronized (lock) {
                    blocked();
                    show();
                }
            }
        }
    }

    /** Ordinary threads that lists contain besides. */
    private void others() {
        stage.keep(new Part.Actor("fresh", new Part(bodies.spin())));
        stage.startAndEnd(stage.keep(new Part.Actor("ended", new Part(Bodies.enter(new Object())))));
        stage.start(stage.keep(new Part.Actor("parked", new Part(bodies.park(false)))), State.WAITING, "park");
    }
}
