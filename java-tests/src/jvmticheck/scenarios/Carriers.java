package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.ForkJoinWorkerThread;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Mounted, pinned and unmounted virtual threads, and the platform threads that carry them. JDK 21 and newer. */
public final class Carriers implements Scenario {
    /** An error with which an agent may stop a thread. */
    private static final Throwable SENT = new Error("sent from outside");

    /** Not private: `spin` has to read it without a call, so that no frame is ever above its own. */
    static volatile Bodies bodies;

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
            final Spinner spinner = new Spinner();
            Thread mounted = stage.startSpinning(stage.keep(Virtual.thread("mounted", spinner)));
            Probe.bind("sent", SENT);
            Thread carrier = bindCarrier("carrier", mounted);
            bindCarrier("pinned_carrier", pinned);
            stage.stateJavaStates();
            Probe.checkpoint("mounted");
            Probe.fact("carrier.interrupted", carrier != null && carrier.isInterrupted() ? 1 : 0);
            if (Probe.isUsed("later")) {
                spinner.awaitProgress();
                Probe.checkpoint("later");
            }
            stage.close();
            Probe.fact("mounted.entered", spinner.entered);
            Probe.fact("mounted.left", spinner.left);
        }
    }

    /** What `mounted` does: it spins in a method of its own, and notes how it leaves that. */
    private static final class Spinner implements Runnable {
        volatile int entered;
        volatile long rounds;
        volatile String left = "no";
        Object made;

        @Override
        public void run() {
            try {
                spin();
                left = bodies.over ? "in the end" : "early";
            } catch (Throwable thrown) {
                left = thrown == SENT ? "sent" : thrown.toString();
            }
        }

        private void spin() {
            entered++;
            while (!bodies.over) {
                if (++rounds % Bodies.SOME == 0) {
                    made = new byte[0];
                }
            }
        }

        /** Waits until the thread has gone on, or has left the method. */
        void awaitProgress() {
            final long before = rounds;
            Probe.await("the mounted thread to go on", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return rounds > before + Bodies.SOME || !left.equals("no");
                }
            });
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

    /**
     * Finds the carrier by the text of the virtual thread, which ends in `@` and a name; states success under `NAME.found`. Another class
     * library may have carriers of another kind, of whose frames cases can say nothing.
     */
    private static Thread bindCarrier(String name, Thread virtual) {
        String text = virtual.toString();
        String carrier = text.substring(text.lastIndexOf('@') + 1);
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals(carrier) && thread instanceof ForkJoinWorkerThread) {
                Probe.bind(name, thread);
                Probe.fact(name + ".found", 1);
                return thread;
            }
        }
        Probe.fact(name + ".found", 0);
        return null;
    }
}
