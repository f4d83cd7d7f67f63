package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** Native threads that are attached, in every state, at the checkpoints `still` and `moving`. */
public final class AttachedCast implements Scenario {
    @Override
    public void run() throws Exception {
        NativeCast.perform("attached_", CastNatives::attach);
    }
}
