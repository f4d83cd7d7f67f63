package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Nested thread groups, with and without threads, and what Java reports about each. */
public final class ThreadGroups implements Scenario {
    @Override
    public void run() throws Exception {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        ThreadGroup parent = new ThreadGroup("parent \u20ac");
        ThreadGroup first = new ThreadGroup(parent, "first");
        ThreadGroup second = new ThreadGroup(parent, "second");
        second.setMaxPriority(3);
        second.setDaemon(true);
        ThreadGroup grandchild = new ThreadGroup(first, "grandchild");
        bind("top", top);
        bind("main_group", Thread.currentThread().getThreadGroup());
        bind("parent", parent);
        bind("first", first);
        bind("second", second);
        bind("grandchild", grandchild);
        Probe.bind("main", Thread.currentThread());
        try (Stage stage = new Stage()) {
            for (String name : new String[] {"one", "two"}) {
                stage.start(stage.keep(thread(parent, name, stage)), State.WAITING, "park");
            }
            stage.start(stage.keep(thread(first, "below", stage)), State.WAITING, "park");
            stage.keep(thread(parent, "unstarted", stage));
            stage.startAndEnd(stage.keep(new Thread(parent, Bodies.enter(parent), "ended")));
            Probe.checkpoint("grouped");
        }
    }

    private static Thread thread(ThreadGroup group, String name, Stage stage) {
        Thread thread = new Thread(group, stage.bodies.park(false), name);
        thread.setDaemon(true);
        return thread;
    }

    private static void bind(String name, ThreadGroup group) {
        Probe.bind(name, group);
        Probe.fact(name + ".name", group.getName());
        Probe.fact(name + ".max-priority", group.getMaxPriority());
        Probe.fact(name + ".daemon", group.isDaemon() ? 1 : 0);
    }
}
