package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads, groups, and threads for an agent to start, with names that are empty, long, or of characters that take several bytes. */
public final class UnusualNames implements Scenario {
    /** A null character, a letter of two bytes, one of three, and one outside the basic plane. */
    private static final String ODD = "\0\u00e9\u4e00\uD83D\uDE00";
    private static final int LONG = 256;
    /** Longer than any text of a class file. */
    private static final int LONGEST = 70_000;

    /** What only the agent starts. */
    private final List<Thread> agents = new ArrayList<Thread>();

    @Override
    public void run() throws Exception {
        name("empty", "");
        name("long", LongNames.repeated('n', LONG));
        name("longest", LongNames.repeated('n', LONGEST));
        name("odd", ODD);
        name("long_odd", LongNames.repeated('n', LONG - 1) + ODD);
        name("halves", "\uDE00\uD83D");
        Probe.checkpoint("named");
        Probe.await("the agent's threads to end", new Probe.Condition() {
            @Override
            public boolean holds() {
                for (Thread agent : agents) {
                    if (agent.isAlive()) {
                        return false;
                    }
                }
                return true;
            }
        });
        Probe.checkpoint("after");
    }

    private void name(String kind, String name) {
        ThreadGroup group = new ThreadGroup(name);
        Thread agent = new Thread(name);
        agents.add(agent);
        Probe.bind(kind, new Thread(group, name));
        Probe.bind(kind + "_group", group);
        Probe.bind(kind + "_agent", agent);
        Probe.fact(kind, name);
    }
}
