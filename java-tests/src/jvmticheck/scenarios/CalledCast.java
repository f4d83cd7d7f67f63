package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Threads that each spin in a method of another kind, at a checkpoint named after the kind: one whose frame an agent pops,
 * and one that it makes return. See `CalledWays`.
 */
public final class CalledCast implements Scenario {
    private static final long MANY = 1_000_000;
    /** Rounds after which a JVM with a compiler has compiled the loop. */
    private static final long ENOUGH = Proof.IS_INTERPRETED ? 1 : MANY;
    private static final String[] DEEDS = {"_popped", "_returned"};

    @Override
    public void run() throws Exception {
        Probe.bind("forced", Result.FORCED);
        for (String kind : CalledWays.KINDS) {
            Caller[] callers = {new Caller(kind), new Caller(kind)};
            if (callers[0].way == null) {
                continue;
            }
            try (Stage stage = new Stage()) {
                for (int i = 0; i < callers.length; i++) {
                    callers[i].start(stage.cast(kind + DEEDS[i], callers[i]));
                }
                Probe.checkpoint(kind);
                for (Caller caller : callers) {
                    caller.calls.limit = 0;
                }
            }
            for (int i = 0; i < callers.length; i++) {
                callers[i].publish(kind + DEEDS[i]);
            }
        }
        Probe.checkpoint("after");
    }

    /** Calls a method of a kind and tells what came of it. */
    private static final class Caller implements Runnable, Probe.Condition {
        private final CalledWays.Way way;
        private final Calls calls = Calls.spinning();
        private final Proof proof;
        private String result = "none";
        private String proved = "not needed";
        private boolean callerIsNative;

        Caller(String kind) throws Exception {
            way = CalledWays.of(kind);
            proof = CalledWays.proof(kind);
        }

        @Override
        public void run() {
            result = CalledWays.outcome(way, calls);
        }

        void start(Thread thread) {
            thread.start();
            Probe.await(thread.getName() + " to spin", this);
            StackTraceElement[] stack = thread.getStackTrace();
            if (proof != null) {
                proved = proof.isThere(calls.reached) ? "yes" : "no";
            }
            callerIsNative = stack.length > 1 && stack[1].isNativeMethod();
        }

        @Override
        public boolean holds() {
            return proof == null ? calls.reached > ENOUGH : proof.isOver(calls.reached);
        }

        void publish(String name) {
            calls.publish(name, result);
            Probe.fact(name + ".compiled", proved);
            Probe.fact(name + ".native-caller", callerIsNative ? 1 : 0);
        }
    }
}
