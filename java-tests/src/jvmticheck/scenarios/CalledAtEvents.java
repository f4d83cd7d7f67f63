package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Threads that call a method of each kind, which ends at once unless an agent does something in an event. The threads of a
 * kind, a platform thread and from JDK 21 on a virtual one, start after a checkpoint named after the kind.
 */
public final class CalledAtEvents implements Scenario {
    private static final String[] KINDS = {
        "ordinary", "static", "synchronised", "given", "lambda", "constructor", "reflected", "handle", "handle_often",
    };

    @Override
    public void run() throws Exception {
        Probe.bind("forced", Result.FORCED);
        boolean isVirtualPossible = true;
        try {
            Class.forName("java.lang.Thread$Builder");
        } catch (ClassNotFoundException old) {
            isVirtualPossible = false;
        }
        for (String kind : KINDS) {
            if (!Probe.isUsed(kind)) {
                continue;
            }
            try (Stage stage = new Stage()) {
                Caller platform = new Caller(kind);
                Caller virtual = new Caller(kind);
                Thread first = stage.cast(kind + "_platform", platform);
                Thread second = isVirtualPossible ? stage.keep(Virtual.thread(kind + "_virtual", virtual)) : null;
                Probe.checkpoint(kind);
                stage.startAndEnd(first);
                platform.calls.publish(kind + "_platform", platform.result);
                if (second != null) {
                    stage.startAndEnd(second);
                    virtual.calls.publish(kind + "_virtual", virtual.result);
                }
            }
        }
        Probe.checkpoint("after");
    }

    /** Calls a method of a kind. */
    private static final class Caller implements Runnable {
        private final CalledWays.Way way;
        private final Calls calls = Calls.brief();
        private volatile String result = "none";

        Caller(String kind) throws Exception {
            way = CalledWays.of(kind);
        }

        @Override
        public void run() {
            result = CalledWays.outcome(way, calls);
        }
    }
}
