package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Virtual threads in every state, at the checkpoints `still` and `moving`. JDK 21 and newer. */
public final class VirtualCast implements Scenario {
    @Override
    public void run() throws Exception {
        try (Threads cast = new Threads("virtual_")) {
            Probe.fact("compiled", "not needed");
            cast.waiters();
            cast.natives();
            cast.rawWaiter();
            cast.stage.start(cast.cast("synchronized", cast.parkSynchronized()), State.WAITING, "park");
            Thread notified = cast.cast("reentering", cast.bodies.awaitNotified(cast.notified));
            cast.stage.start(notified, State.WAITING, "wait");
            Cast.Guarded guarded = new Cast.Guarded();
            Probe.bind("guarded", guarded);
            Probe.bind("platform", cast.platform());
            Probe.bind("sent", new IllegalStateException("sent"));
            synchronized (cast.notified) {
                cast.notified.notifyAll();
                Probe.await(notified, State.BLOCKED, "wait");
                synchronized (guarded) {
                    cast.stage.start(cast.cast("blocked_method", guarded.body()), State.BLOCKED, "enter");
                    synchronized (cast.lock) {
                        cast.blocked();
                        cast.show();
                    }
                }
            }
        }
        Probe.checkpoint("after");
    }

    static final class Threads extends Cast {
        private final Object held = new Object();

        Threads(String prefix) {
            super(prefix);
            Probe.bind("held", held);
        }

        @Override
        Thread create(String name, Part part) throws ReflectiveOperationException {
            return Virtual.thread(name, part);
        }

        Thread platform() {
            return stage.start(stage.keep(new Part.Actor("platform", new Part(bodies.park(false)))), State.WAITING, "park");
        }

        /** Parks while it holds `held`, which pins it in some releases. */
        Runnable parkSynchronized() {
            return new Runnable() {
                @Override
                public void run() {
                    synchronized (held) {
                        bodies.parkUntilOver(false);
                    }
                }
            };
        }
    }
}
