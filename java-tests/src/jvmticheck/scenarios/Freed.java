package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Platform threads that an agent may suspend while each queues for a monitor of its own, between others. Then the main thread frees
 * the monitors.
 */
public class Freed extends OnPlatformThreads implements Scenario {
    /** How long a monitor may take to go through all threads that queue for it, in milliseconds. */
    private static final long PATIENCE = 1000;
    /** How often the main thread sleeps in that time at least. */
    private static final int SLEEPS = 500;
    /** How many other threads queue for each monitor, the last one of the same kind as the thread in the middle. */
    private static final int OTHERS = 3;
    /** How long threads wait that are to queue once their time is over, in milliseconds. */
    private static final long SHORT = 20;
    /** How long a thread waits that is to be suspended before its time is over, in milliseconds. */
    private static final long LONG = 400;

    @Override
    public final void run() throws Exception {
        List<Queue> queues = new ArrayList<Queue>();
        try (Stage stage = new Stage()) {
            for (Queue queue : queues()) {
                if (Probe.isUsed(queue.name)) {
                    queue.one = stage.keep(create(queue.name, queue));
                    queues.add(queue);
                    queue.beginWaiting();
                }
            }
            hold(queues, 0, stage);
            await(queues);
            for (Queue queue : queues) {
                Probe.fact(queue.name + ".others", queue.passed.get());
            }
            Probe.checkpoint("freed");
            for (Queue queue : queues) {
                queue.one.join();
            }
        }
        Probe.checkpoint("after");
    }

    /** Holds the monitors of all queues from a certain one on while the threads queue and the agent acts. */
    private void hold(List<Queue> queues, int from, Stage stage) throws Exception {
        if (from < queues.size()) {
            synchronized (queues.get(from)) {
                hold(queues, from + 1, stage);
            }
            return;
        }
        for (Queue queue : queues) {
            queue.held = true;
            stage.startBlocked(Stage.daemon("before " + queue.name, queue.passing));
            queue.join();
        }
        Probe.checkpoint("queued");
        for (Queue queue : queues) {
            Probe.fact(queue.name + ".queued", queue.isQueued() ? 1 : 0);
        }
        for (Queue queue : queues) {
            queue.end();
            stage.startBlocked(Stage.daemon("after " + queue.name, queue.passing));
            stage.startBlocked(create("last for " + queue.name, queue.passing));
        }
    }

    private static void await(List<Queue> queues) throws InterruptedException {
        Patience patience = new Patience(PATIENCE, SLEEPS);
        for (Queue queue : queues) {
            while (queue.passed.get() < OTHERS && patience.sleep()) {
                continue;
            }
        }
    }

    private static Queue[] queues() {
        return new Queue[] {
            new Queue("entering", 0, State.BLOCKED) {
                @Override
                void beginWaiting() {
                    // It only enters the monitor.
                }

                @Override
                void join() {
                    one.start();
                    super.join();
                }
            },
            new Queue("notified", 0, State.BLOCKED) {
                @Override
                void join() {
                    notifyAll();
                    super.join();
                }
            },
            new Queue("timed_out", SHORT, State.BLOCKED),
            new Queue("waiting", 0, State.WAITING) {
                @Override
                void end() {
                    notifyAll();
                }
            },
            new Queue("timed_waiting", LONG, State.TIMED_WAITING) {
                @Override
                void end() throws InterruptedException {
                    Thread.sleep(LONG + SHORT);
                }
            },
        };
    }

    /** A monitor for which threads queue, and how the one in the middle does it. */
    private static class Queue implements Runnable {
        final String name;
        final long timeout;
        final State state;
        final AtomicInteger passed = new AtomicInteger();
        final Runnable passing = new Runnable() {
            @Override
            public void run() {
                enter();
            }

            private void enter() {
                synchronized (Queue.this) {
                    passed.incrementAndGet();
                }
            }
        };
        Thread one;
        volatile boolean held;

        Queue(String name, long timeout, State state) {
            this.name = name;
            this.timeout = timeout;
            this.state = state;
        }

        /** Starts the thread in the middle, if it is to have owned the monitor before. */
        void beginWaiting() {
            one.start();
            Probe.await(one, State.WAITING, State.TIMED_WAITING);
        }

        /** Brings the thread in the middle into the state in which the agent finds it; the main thread owns the monitor. */
        void join() {
            if (state == State.BLOCKED) {
                Probe.await(one, state);
            }
        }

        boolean isQueued() {
            State now = one.getState();
            return now == state || state == State.TIMED_WAITING && now == State.WAITING;
        }

        /** Ends what the thread in the middle waits for, if the agent was to find it waiting; the main thread owns the monitor. */
        void end() throws InterruptedException {
            // It waits to enter the monitor and for nothing else.
        }

        @Override
        public synchronized void run() {
            try {
                while (!held) {
                    wait(timeout);
                }
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
