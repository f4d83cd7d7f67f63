package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;

/** Threads that native code has started, in every state; see the scenarios `AttachedCast` and `AgentCast`. */
abstract class NativeCast extends Cast {
    NativeCast(String prefix) {
        super(prefix);
    }

    /** A thread of the kind that stays in native code, without a frame of Java. */
    abstract Thread idle(String name) throws Exception;

    /** Brings the threads into their states and marks the checkpoints. */
    final void gather() throws Exception {
        Probe.fact("compiled", "not needed");
        others();
        rests();
        natives();
        startStaying(stage.keep(idle(named("idle"))));
        rawWaiter();
        Thread notified = cast("reentering", bodies.await(this.notified, false));
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
