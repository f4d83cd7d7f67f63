package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads that differ in name, priority, daemon status, group and context class loader, and what Java reports about each. */
public final class ThreadInfos implements Scenario {
    @Override
    public void run() throws Exception {
        ThreadGroup group = new ThreadGroup("group of its own");
        ClassLoader loader = new FreshLoader(ThreadInfos.class);
        Probe.bind("group", group);
        Probe.bind("loader", loader);
        Probe.bind("own_loader", ThreadInfos.class.getClassLoader());
        Probe.bind("main", Thread.currentThread());
        Probe.bind("main_group", Thread.currentThread().getThreadGroup());
        state("main", Thread.currentThread());
        try (Stage stage = new Stage()) {
            Thread plain = stage.start(stage.cast("plain", stage.bodies.park(false)), State.WAITING, "park");
            Thread lowest = stage.cast("lowest", stage.bodies.park(false));
            lowest.setPriority(Thread.MIN_PRIORITY);
            stage.start(lowest, State.WAITING, "park");
            Thread highest = stage.cast("highest", stage.bodies.park(false));
            highest.setPriority(Thread.MAX_PRIORITY);
            stage.start(highest, State.WAITING, "park");
            Thread user = stage.cast("user", stage.bodies.park(false));
            user.setDaemon(false);
            stage.start(user, State.WAITING, "park");
            Thread grouped = new Thread(group, stage.bodies.park(false), "grouped");
            grouped.setContextClassLoader(loader);
            stage.start(stage.keep(grouped), State.WAITING, "park");
            Thread loaderless = stage.cast("loaderless", stage.bodies.park(false));
            loaderless.setContextClassLoader(null);
            stage.start(loaderless, State.WAITING, "park");
            Thread renamed = stage.start(stage.cast("renamed", stage.bodies.park(false)), State.WAITING, "park");
            renamed.setName("nul \0, \u00e9, \u20ac and \ud83d\ude00");
            Thread unstarted = stage.cast("unstarted", stage.bodies.park(false));
            Thread ended = stage.startAndEnd(stage.cast("ended", Bodies.enter(group)));
            state("plain", plain);
            state("lowest", lowest);
            state("highest", highest);
            state("user", user);
            state("grouped", grouped);
            state("loaderless", loaderless);
            state("renamed", renamed);
            state("unstarted", unstarted);
            state("ended", ended);
            Probe.checkpoint("described");
        }
    }

    private static void state(String name, Thread thread) {
        Probe.fact(name + ".name", thread.getName());
        Probe.fact(name + ".priority", thread.getPriority());
        Probe.fact(name + ".daemon", thread.isDaemon() ? 1 : 0);
    }
}
