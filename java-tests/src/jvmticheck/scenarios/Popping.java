package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread spins in `popped`, called by `caller`. By then it has changed its arguments and a field, and holds a monitor
 * and its own. When an agent pops its frame, the thread calls the method again, which then returns without any of this.
 */
public final class Popping implements Scenario {
    @Override
    public void run() throws Exception {
        Popped popped = new Popped();
        Probe.bind("monitor", popped.monitor);
        Probe.bind("locked", popped);
        Probe.bind("class", Popped.class);
        try (Stage stage = new Stage()) {
            popped.bodies = stage.bodies;
            Thread thread = stage.start(stage.cast("popping", popped), State.RUNNABLE, "popped");
            Probe.await("the thread to spin", popped);
            Probe.checkpoint("spinning");
            // A thread whose frame was popped ends by itself.
            thread.join(popped.patience());
        }
        Probe.checkpoint("after");
    }
}
