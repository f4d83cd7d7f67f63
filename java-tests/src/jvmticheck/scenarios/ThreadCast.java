package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Platform threads in every state, at the checkpoints `still` and `moving`. */
public final class ThreadCast implements Scenario {
    @Override
    public void run() throws Exception {
        try (Platform cast = new Platform("")) {
            Probe.fact("compiled", "not needed");
            cast.waiters();
            cast.natives();
            cast.rawWaiter();
            Thread notified = cast.cast("reentering", cast.bodies.awaitNotified(cast.notified));
            Thread interrupted = cast.cast("reentering_interrupted", cast.bodies.awaitNotified(cast.notified));
            cast.stage.start(notified, State.WAITING, "wait");
            cast.stage.start(interrupted, State.WAITING, "wait");
            Cast.Guarded guarded = new Cast.Guarded();
            Probe.bind("guarded", guarded);
            synchronized (cast.notified) {
                interrupted.interrupt();
                cast.notified.notifyAll();
                Probe.await(notified, State.BLOCKED, "wait");
                Probe.await(interrupted, State.BLOCKED, "wait");
                synchronized (guarded) {
                    cast.stage.start(cast.cast("blocked_method", guarded.body()), State.BLOCKED, "enter");
                    synchronized (cast.lock) {
                        cast.blocked();
                        cast.attached();
                        cast.show();
                    }
                }
            }
        }
        Probe.checkpoint("after");
    }

    static final class Platform extends Cast {
        Platform(String prefix) {
            super(prefix);
        }

        @Override
        Thread create(String name, Part part) {
            return new Part.Actor(name, part);
        }

        void attached() {
            Thread attached = CastNatives.attach("attached", null);
            Probe.bind("attached", attached);
            publish(attached);
        }
    }
}
