package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that spins in its own `run`, without a Java caller; its fields are not private, so that it calls no accessor. */
public final class OnlyFrame implements Scenario {
    /** How long to wait for the thread to end, whether or not an agent has made it return. */
    private static final long PATIENCE = TimeUnit.SECONDS.toMillis(10);

    volatile boolean spinning;
    volatile boolean returned;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            final Bodies bodies = stage.bodies;
            Thread only = new Thread("only") {
                @Override
                public void run() {
                    while (!bodies.over) {
                        spinning = true;
                        if (++bodies.rounds % Bodies.SOME == 0) {
                            bodies.made = new byte[0];
                        }
                    }
                    returned = true;
                }
            };
            only.setDaemon(true);
            stage.keep(only).start();
            Probe.await("the thread to spin", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return spinning;
                }
            });
            Probe.checkpoint("spinning");
            only.join(PATIENCE);
            Probe.fact("only.ended", only.isAlive() ? 0 : 1);
        }
        Probe.fact("only.returned", returned ? 1 : 0);
        Probe.checkpoint("after");
    }
}
