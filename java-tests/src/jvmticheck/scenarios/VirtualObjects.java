package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Scenario;

/** The objects of Objects, and virtual threads. JDK 21 and newer. */
public final class VirtualObjects implements Scenario {
    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            stage.keep(Virtual.thread("virtual_new", stage.bodies.spin()));
            stage.startAndEnd(stage.keep(Virtual.thread("virtual_terminated", Bodies.enter(new Object()))));
            stage.start(stage.keep(Virtual.thread("virtual_unmounted", stage.bodies.park(false))), State.WAITING, "park");
            stage.startSpinning(stage.keep(Virtual.thread("virtual_mounted", stage.bodies.spin())));
            new Objects().run();
        }
    }
}
