package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Threads that each spin in a method of another result type, at a checkpoint named after the type: one for each way to call the
 * method. An agent makes them return. See `TypedWays`.
 */
public final class TypedCast implements Scenario {
    private static final long MANY = 1_000_000;

    /** Rounds after which a JVM with a compiler has compiled the loop. */
    private static final long ENOUGH = System.getProperty("java.vm.info").contains("interpreted") ? 1 : MANY;

    @Override
    public void run() throws Exception {
        Probe.bind("forced", Result.FORCED);
        for (String type : TypedWays.TYPES) {
            Caller[] callers = new Caller[TypedWays.WAYS.length];
            try (Stage stage = new Stage()) {
                for (int i = 0; i < callers.length; i++) {
                    callers[i] = new Caller(type, TypedWays.WAYS[i]);
                    stage.cast(callers[i].name, callers[i]).start();
                    Probe.await(callers[i].name + " to spin", callers[i]);
                }
                Probe.checkpoint(type);
                for (Caller caller : callers) {
                    caller.calls.limit = 0;
                }
            }
            for (Caller caller : callers) {
                caller.calls.publish(caller.name, caller.result);
            }
        }
        Probe.checkpoint("after");
    }

    /** Calls a method of a type in a way, and tells what came of it. */
    private static final class Caller implements Runnable, Probe.Condition {
        private final String type;
        private final String way;
        private final String name;
        private final Calls calls = Calls.spinning();
        private String result = "none";

        Caller(String type, String way) {
            this.type = type;
            this.way = way;
            this.name = type + "_" + way;
        }

        @Override
        public void run() {
            result = TypedWays.outcome(type, way, calls);
        }

        @Override
        public boolean holds() {
            return calls.reached > ENOUGH;
        }
    }
}
