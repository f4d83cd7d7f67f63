package jvmticheck.scenarios;

import java.util.concurrent.CountDownLatch;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A virtual thread that calls `target` once it is told to, while the main thread marks `poll` again and again, and a
 * virtual thread that spins holding a monitor. JDK 21 and newer.
 */
public final class Paused implements Scenario {
    static volatile int entered;
    /** The error with which an agent stops a thread. */
    static final Throwable SENT = new Error("sent from outside");

    @Override
    public void run() throws Exception {
        entered = 0;
        final Object held = new Object();
        final CountDownLatch go = new CountDownLatch(1);
        Probe.bind("sent", SENT);
        Probe.bind("held", held);
        try (Stage stage = new Stage()) {
            final Bodies bodies = stage.bodies;
            Thread virtual = stage.keep(Virtual.thread("virtual", new Runnable() {
                @Override
                public void run() {
                    String result;
                    try {
                        go.await();
                        result = String.valueOf(target(7));
                    } catch (Throwable thrown) {
                        result = thrown == SENT ? "sent" : thrown.toString();
                    }
                    Probe.fact("result", result);
                    Probe.fact("entered", entered);
                }
            }));
            stage.start(virtual, Thread.State.WAITING, "park");
            stage.start(stage.keep(Virtual.thread("spinner", new Runnable() {
                @Override
                public void run() {
                    synchronized (held) {
                        bodies.spinUntilOver();
                    }
                }
            })), Thread.State.RUNNABLE, "spin");
            Probe.checkpoint("before");
            go.countDown();
            while (virtual.isAlive()) {
                Probe.checkpoint("poll");
                Thread.yield();
            }
            Probe.checkpoint("after");
        }
    }

    static int target(int argument) {
        entered++;
        return argument;
    }
}
