package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads of JVM TI's RunAgentThread in every state, at the checkpoints `still` and `moving`. */
public final class AgentCast implements Scenario {
    @Override
    public void run() throws Exception {
        NativeCast.perform("agent_", Started::new);
    }

    /** A thread that RunAgentThread starts. */
    private static final class Started extends Thread implements Probe.Unseen {
        private final Part part;

        Started(String name, Part part) {
            super(name);
            this.part = part;
        }

        @Override
        public void start() {
            CastNatives.runAgentThread(this, part);
        }

        @Override
        public boolean hasArrived() {
            return part != null && part.isEntered;
        }
    }
}
