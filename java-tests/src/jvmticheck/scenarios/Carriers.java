package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Mounted, pinned and unmounted virtual threads, and the platform threads that carry them. JDK 21 and newer. */
public final class Carriers implements Scenario {
    private static volatile Bodies bodies;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            bodies = stage.bodies;
            stage.start(stage.keep(Virtual.thread("unmounted", stage.bodies.park(false))), State.WAITING, "park");
            Thread pinned = Virtual.thread("pinned", new Runnable() {
                @Override
                public void run() {
                    pin();
                }
            });
            stage.start(stage.keep(pinned), State.WAITING, "park");
            Thread mounted = stage.startSpinning(stage.keep(Virtual.thread("mounted", stage.bodies.spin())));
            bindCarrier("carrier", mounted);
            bindCarrier("pinned_carrier", pinned);
            stage.stateJavaStates();
            Probe.checkpoint("mounted");
        }
    }

    /** Parks below a native frame, which pins the thread in every release. */
    private static void pin() {
        try {
            new FreshLoader(Pin.class).initialised("jvmticheck.scenarios.Carriers$Pin");
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The class initialiser of `Pin` calls this. */
    public static void parkUntilOver() {
        bodies.parkUntilOver(false);
    }

    static final class Pin {
        static {
            Carriers.parkUntilOver();
        }
    }

    /** Finds the carrier by the text of the virtual thread, which ends in `@` and a name; states success under `NAME.found`. */
    private static void bindCarrier(String name, Thread virtual) {
        String text = virtual.toString();
        String carrier = text.substring(text.lastIndexOf('@') + 1);
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals(carrier)) {
                Probe.bind(name, thread);
                Probe.fact(name + ".found", 1);
                return;
            }
        }
        Probe.fact(name + ".found", 0);
    }
}
