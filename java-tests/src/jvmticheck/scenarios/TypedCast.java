package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Threads that each spin in a method of another result type, at a checkpoint named after the type: one for each way to call the
 * method. An agent makes them return. See `TypedWays`.
 */
public final class TypedCast implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("forced", Result.FORCED);
        for (String type : TypedWays.TYPES) {
            List<Caller> callers = callers(type);
            if (callers.isEmpty()) {
                continue;
            }
            try (Stage stage = new Stage()) {
                for (Caller caller : callers) {
                    stage.cast(caller.name, caller).start();
                    Probe.await(caller.name + " to spin", caller);
                }
                for (Caller caller : callers) {
                    caller.isProved = caller.proof.isThere(caller.calls.reached);
                }
                Probe.checkpoint(type);
                for (Caller caller : callers) {
                    caller.calls.limit = 0;
                }
            }
            for (Caller caller : callers) {
                caller.calls.publish(caller.name, caller.result);
                Probe.fact(caller.name + ".compiled", caller.isProved ? "yes" : "no");
            }
        }
        Probe.checkpoint("after");
    }

    /** The callers of the methods of a type that cases use. */
    private static List<Caller> callers(String type) {
        List<Caller> used = new ArrayList<Caller>();
        for (String way : TypedWays.WAYS) {
            Caller caller = new Caller(type, way);
            if (Probe.isUsed(caller.name)) {
                used.add(caller);
            }
        }
        return used;
    }

    /** Calls a method of a type in a way, and tells what came of it. */
    private static final class Caller implements Runnable, Probe.Condition {
        private final String type;
        private final String way;
        private final String name;
        private final Calls calls = Calls.spinning();
        private final Proof proof;
        private String result = "none";
        private boolean isProved;

        Caller(String type, String way) {
            this.type = type;
            this.way = way;
            this.name = type + "_" + way;
            this.proof = new Proof(TypedWays.class, TypedWays.name(type));
        }

        @Override
        public void run() {
            result = TypedWays.outcome(type, way, calls);
        }

        @Override
        public boolean holds() {
            return proof.isOver(calls.reached);
        }
    }
}
