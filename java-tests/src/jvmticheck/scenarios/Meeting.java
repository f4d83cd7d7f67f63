package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Three threads each reach a checkpoint of their own and may block in it, while the main thread marks `poll` again and
 * again until they have ended; `thread` is a thread that an agent may start.
 */
public final class Meeting implements Scenario {
    private static final String[] NAMES = {"first", "second", "third"};

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        final Thread agent = new Thread("started by the agent");
        Probe.bind("thread", agent);
        ThreadGroup group = new ThreadGroup("group of the agent's thread");
        Thread grouped = new Thread(group, "started by the agent in a group");
        Probe.bind("group", group);
        Probe.bind("grouped", grouped);
        try (Stage stage = new Stage()) {
            final Thread[] all = new Thread[NAMES.length];
            for (int i = 0; i < NAMES.length; i++) {
                final String name = NAMES[i];
                all[i] = stage.cast(name, new Runnable() {
                    @Override
                    public void run() {
                        Probe.checkpoint(name);
                    }
                });
            }
            Probe.checkpoint("before");
            for (Thread thread : all) {
                thread.start();
            }
            boolean seen = false;
            while (isAnyAlive(all) || agent.isAlive() || grouped.isAlive()) {
                seen |= Thread.getAllStackTraces().containsKey(agent) || group.enumerate(new Thread[1]) > 0;
                Probe.checkpoint("poll");
                Thread.yield();
            }
            Probe.fact("agent.seen", seen ? 1 : 0);
        }
        Probe.checkpoint("after");
    }

    private static boolean isAnyAlive(Thread[] threads) {
        for (Thread thread : threads) {
            if (thread.isAlive()) {
                return true;
            }
        }
        return false;
    }
}
