package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads of JVM TI's RunAgentThread in every state, at the checkpoints `still` and `moving`. */
public final class AgentCast implements Scenario {
    @Override
    public void run() throws Exception {
        try (Threads cast = new Threads()) {
            cast.gather();
        }
        Probe.checkpoint("after");
    }

    private static final class Threads extends NativeCast {
        Threads() {
            super("agent_");
        }

        @Override
        Thread create(String name, Part part) {
            return new Started(name, part);
        }

        @Override
        Thread idle(String name) {
            return new Started(name, null);
        }
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
