package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.atomic.AtomicInteger;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Monitors for which a platform thread queues that an agent may suspend, and then virtual threads. The main thread frees them, and collects
 * garbage at once. That happens again and again, until threads are left waiting. JDK 21 and newer.
 */
public final class BothFreed implements Scenario {
    private static final int ROUNDS = 60;
    /** How many monitors there are, each with one platform thread. */
    private static final int MONITORS = 8;
    /** How many virtual threads queue for each. */
    private static final int OTHERS = 3;
    /** How many objects a collection finds, so that it lasts as long as a thread needs to wake up. */
    private static final int OBJECTS = 60_000;
    /** How long the monitors may take to go through all threads that queue for them, in milliseconds. */
    private static final long PATIENCE = 2000;
    /** How often the main thread sleeps in that time at least. */
    private static final int SLEEPS = 1000;

    private final Queue[] queues = new Queue[MONITORS];
    private final Object[] kept = new Object[OBJECTS];
    private final AtomicInteger passed = new AtomicInteger();
    private volatile int round;

    @Override
    public void run() throws Exception {
        for (int i = 0; i < OBJECTS; i++) {
            kept[i] = new int[3];
        }
        try (Stage stage = new Stage()) {
            for (int i = 0; i < MONITORS; i++) {
                queues[i] = new Queue();
                queues[i].one = stage.cast("one" + i, queues[i]);
                queues[i].one.start();
            }
            while (round < ROUNDS && passed.get() == round * MONITORS * OTHERS) {
                takeRound(stage);
            }
            Probe.fact("rounds", round);
            Probe.fact("left", round * MONITORS * OTHERS - passed.get());
            round = ROUNDS + 1;
            for (Queue queue : queues) {
                queue.one.join();
            }
        }
        Probe.checkpoint("after");
    }

    private void takeRound(Stage stage) throws Exception {
        hold(0, stage);
        System.gc();
        Patience patience = new Patience(PATIENCE, SLEEPS);
        while (passed.get() < round * MONITORS * OTHERS && patience.sleep()) {
            continue;
        }
        Probe.checkpoint("freed");
    }

    /** Holds the monitors of all queues from a certain one on while the threads queue and the agent acts. */
    private void hold(int from, Stage stage) throws Exception {
        if (from < queues.length) {
            synchronized (queues[from]) {
                hold(from + 1, stage);
            }
            return;
        }
        round++;
        for (Queue queue : queues) {
            Probe.await(queue.one, "enter", State.BLOCKED);
        }
        Probe.checkpoint("queued");
        for (Queue queue : queues) {
            for (int i = 0; i < OTHERS; i++) {
                stage.startBlocked(Virtual.thread("other", new Passing(queue)));
            }
        }
    }

    /** A monitor, and what the platform thread does that queues for it. */
    private final class Queue implements Runnable {
        private Thread one;
        private int entered;

        @Override
        public void run() {
            while (round <= ROUNDS) {
                while (round == entered) {
                    Thread.yield();
                }
                enter();
            }
        }

        private void enter() {
            synchronized (this) {
                entered++;
            }
        }
    }

    /** What a virtual thread does. */
    private final class Passing implements Runnable {
        private final Queue queue;

        Passing(Queue queue) {
            this.queue = queue;
        }

        @Override
        public void run() {
            enter();
        }

        private void enter() {
            synchronized (queue) {
                passed.incrementAndGet();
            }
        }
    }
}
