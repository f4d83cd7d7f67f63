package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Native threads that are attached, in every state, at the checkpoints `still` and `moving`. */
public final class AttachedCast implements Scenario {
    @Override
    public void run() throws Exception {
        try (Threads cast = new Threads()) {
            cast.gather();
        }
        Probe.checkpoint("after");
    }

    private static final class Threads extends NativeCast {
        Threads() {
            super("attached_");
        }

        @Override
        Thread create(String name, Part part) {
            return CastNatives.attach(name, part);
        }

        @Override
        Thread idle(String name) {
            return CastNatives.attach(name, null);
        }
    }
}
