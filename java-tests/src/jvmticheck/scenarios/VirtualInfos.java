package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Virtual threads, and what Java reports about them. JDK 21 and newer. */
public final class VirtualInfos implements Scenario {
    @Override
    public void run() throws Exception {
        Object lock = new Object();
        Probe.bind("lock", lock);
        Probe.bind("main", Thread.currentThread());
        try (Stage stage = new Stage()) {
            Thread virtual = stage.keep(Virtual.thread("virtual", stage.bodies.park(false)));
            stage.start(virtual, State.WAITING, "park");
            stage.start(stage.keep(Virtual.thread("other", stage.bodies.park(false))), State.WAITING, "park");
            stage.start(stage.cast("platform", stage.bodies.park(false)), State.WAITING, "park");
            stage.keep(Virtual.thread("unstarted", stage.bodies.park(false)));
            stage.startAndEnd(stage.keep(Virtual.thread("ended", Bodies.enter(lock))));
            Probe.bind("group", virtual.getThreadGroup());
            Probe.fact("virtual.name", virtual.getName());
            Probe.fact("virtual.priority", virtual.getPriority());
            Probe.fact("virtual.daemon", virtual.isDaemon() ? 1 : 0);
            Probe.checkpoint("described");
            stage.startAndEnd(stage.keep(Virtual.thread("caller", new Runnable() {
                @Override
                public void run() {
                    Probe.checkpoint("on_virtual");
                }
            })));
        }
    }
}
