package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Threads that each spin in a method of another kind, at a checkpoint named after the kind: one whose frame an agent pops,
 * and one that it makes return. See `CalledWays`.
 */
public final class CalledCast implements Scenario {
    private static final String[] DEEDS = {"_popped", "_returned"};

    @Override
    public void run() throws Exception {
        Probe.bind("forced", Result.FORCED);
        for (String kind : CalledWays.KINDS) {
            List<Caller> callers = callers(kind);
            if (callers.isEmpty()) {
                continue;
            }
            try (Stage stage = new Stage()) {
                for (Caller caller : callers) {
                    caller.start(stage);
                }
                Probe.checkpoint(kind);
                for (Caller caller : callers) {
                    caller.calls.limit = 0;
                }
            }
            for (Caller caller : callers) {
                caller.publish();
            }
        }
        Probe.checkpoint("after");
    }

    /** The callers of the method of a kind that cases use, where the JVM can have the kind. */
    private static List<Caller> callers(String kind) throws Exception {
        List<Caller> used = new ArrayList<Caller>();
        for (String deed : DEEDS) {
            if (Probe.isUsed(kind + deed)) {
                Caller caller = new Caller(kind, kind + deed);
                if (caller.way != null) {
                    used.add(caller);
                }
            }
        }
        return used;
    }

    /** Calls a method of a kind and tells what came of it. */
    private static final class Caller implements Runnable, Probe.Condition {
        private final String name;
        private final CalledWays.Way way;
        private final Calls calls = Calls.spinning();
        private final Proof proof;
        private final boolean needsProof;
        private String result = "none";
        private String proved = "not needed";
        private boolean callerIsNative;

        Caller(String kind, String name) throws Exception {
            this.name = name;
            way = CalledWays.of(kind);
            proof = CalledWays.proof(kind);
            needsProof = CalledWays.needsProof(kind);
        }

        @Override
        public void run() {
            result = CalledWays.outcome(way, calls);
        }

        void start(Stage stage) {
            Thread thread = stage.cast(name, this);
            thread.start();
            Probe.await(thread.getName() + " to spin", this);
            StackTraceElement[] stack = thread.getStackTrace();
            if (needsProof) {
                proved = proof.isThere(calls.reached) ? "yes" : "no";
            }
            callerIsNative = stack.length > 1 && stack[1].isNativeMethod();
        }

        @Override
        public boolean holds() {
            return proof == null ? calls.reached > Proof.ENOUGH : proof.isOver(calls.reached);
        }

        void publish() {
            calls.publish(name, result);
            Probe.fact(name + ".compiled", proved);
            Probe.fact(name + ".native-caller", callerIsNative ? 1 : 0);
        }
    }
}
