package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Platform threads for agents to interrupt or to stop, several in each state; see `Struck`. */
public class StruckCast implements Scenario {
    /** How long it may take until something has come of what the agent did. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

    private final Object lock = new Object();
    private final List<Struck> parts = new ArrayList<Struck>();
    private final List<Thread> threads = new ArrayList<Thread>();

    @Override
    public final void run() throws Exception {
        Probe.bind("sent", Struck.SENT);
        try (Stage stage = new Stage()) {
            synchronized (lock) {
                for (String way : ways()) {
                    String[] states = way.startsWith("_stopped") ? Struck.WAITING : Struck.STATES;
                    for (String state : states) {
                        Struck part = new Struck(state, way.startsWith("_stopped"), lock);
                        Thread thread = stage.keep(create(state + way, part));
                        thread.start();
                        Probe.await(thread, part.method(), State.RUNNABLE, State.BLOCKED, State.WAITING, State.TIMED_WAITING);
                        parts.add(part);
                        threads.add(thread);
                    }
                }
                awaitBlocked();
                Probe.checkpoint("cast");
            }
            awaitOutcomes();
            for (int i = 0; i < parts.size(); i++) {
                String outcome = parts.get(i).outcome;
                Probe.fact(threads.get(i).getName() + ".outcome", outcome == null ? "none" : outcome);
            }
        }
    }

    /** What is done to threads of this kind. */
    String[] ways() {
        return new String[] {"_interrupted", "_interrupted_suspended", "_stopped", "_stopped_suspended"};
    }

    /** A thread of the kind, unstarted. */
    Thread create(String name, Struck part) throws Exception {
        return Stage.daemon(name, part);
    }

    /** All but those that spin. */
    private void awaitBlocked() {
        for (final Thread thread : threads) {
            if (!thread.getName().contains("spinning")) {
                Probe.await(thread.getName() + " to wait", new Probe.Condition() {
                    @Override
                    public boolean holds() {
                        return thread.getState() != State.RUNNABLE;
                    }
                });
            }
        }
    }

    private void awaitOutcomes() {
        long deadline = System.nanoTime() + PATIENCE;
        for (Struck part : parts) {
            while (part.outcome == null && System.nanoTime() < deadline) {
                Thread.yield();
            }
        }
    }
}
