package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads that rest in various ways until `resting`, and that whatever they rest for lets go on before `woken`. */
public class Woken extends OnPlatformThreads implements Scenario {
    /** How long threads that nobody wakes rest at a time: they do so again and again, however slow the agent is to suspend them. */
    private static final long REST = 20;
    /** How long threads have to go on once they can. */
    private static final long GRACE = 15;

    private final Object lock = new Object();
    private final Map<Rest, Thread> threads = new LinkedHashMap<Rest, Thread>();
    private volatile boolean over;

    @Override
    public final void run() throws Exception {
        try (Stage stage = new Stage()) {
            boolean timed = false;
            synchronized (lock) {
                for (Rest rest : rests()) {
                    if (Probe.isUsed(rest.name)) {
                        Thread thread = stage.keep(create(rest.name, rest));
                        threads.put(rest, rest.isTimed
                            ? stage.startTimed(thread, rest.method)
                            : stage.start(thread, rest.state, rest.method));
                        timed |= rest.isTimed;
                    }
                }
                Probe.checkpoint("resting");
                for (Map.Entry<Rest, Thread> entry : threads.entrySet()) {
                    Rest rest = entry.getKey();
                    rest.progress = rest.steps;
                    Probe.fact(rest.name + ".resting", rest.isResting(entry.getValue()) ? 1 : 0);
                }
            }
            wake(timed ? REST + GRACE : GRACE);
            for (Rest rest : threads.keySet()) {
                Probe.fact(rest.name + ".early", rest.gone || rest.steps != rest.progress ? 1 : 0);
            }
            Probe.checkpoint("woken");
            over = true;
            for (Thread thread : threads.values()) {
                thread.join();
            }
            for (Rest rest : threads.keySet()) {
                Probe.fact(rest.name + ".gone", rest.gone ? 1 : 0);
            }
        }
        Probe.checkpoint("after");
    }

    private void wake(long time) {
        for (Map.Entry<Rest, Thread> entry : threads.entrySet()) {
            Rest rest = entry.getKey();
            rest.awaited = true;
            if (!rest.isTimed) {
                synchronized (rest) {
                    rest.notifyAll();
                }
                LockSupport.unpark(entry.getValue());
            }
        }
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(time);
        while (System.nanoTime() < end) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(GRACE));
        }
    }

    private Rest[] rests() {
        return new Rest[] {
            new Rest("parked", State.WAITING, "park", false) {
                @Override
                void rest() {
                    while (!awaited) {
                        LockSupport.park(this);
                    }
                }
            },
            new Rest("waiting", State.WAITING, "wait", false) {
                @Override
                synchronized void rest() throws InterruptedException {
                    while (!awaited) {
                        wait();
                    }
                }
            },
            new Rest("blocked", State.BLOCKED, "rest", false) {
                @Override
                void rest() {
                    synchronized (lock) {
                        steps++;
                    }
                }
            },
            new Rest("spinning", State.RUNNABLE, "rest", false) {
                @Override
                void rest() {
                    while (!over) {
                        if (++steps % Bodies.SOME == 0) {
                            made = new byte[0];
                        }
                    }
                }
            },
            new Rest("timed_parked", State.TIMED_WAITING, "park", true) {
                @Override
                void rest() {
                    while (!awaited) {
                        steps++;
                        LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(REST));
                    }
                }
            },
            new Rest("sleeping", State.TIMED_WAITING, "sleep", true) {
                @Override
                void rest() throws InterruptedException {
                    while (!awaited) {
                        steps++;
                        Thread.sleep(REST);
                    }
                }
            },
            new Rest("timed_waiting", State.TIMED_WAITING, "wait", true) {
                @Override
                synchronized void rest() throws InterruptedException {
                    while (!awaited) {
                        steps++;
                        wait(REST);
                    }
                }
            },
        };
    }

    /** What a thread does, and how far it got. */
    private abstract static class Rest implements Runnable {
        final String name;
        final State state;
        final String method;
        final boolean isTimed;
        volatile boolean awaited;
        volatile boolean gone;
        volatile long steps;
        long progress;
        Object made;

        Rest(String name, State state, String method, boolean isTimed) {
            this.name = name;
            this.state = state;
            this.method = method;
            this.isTimed = isTimed;
        }

        abstract void rest() throws InterruptedException;

        /** Whether its thread rests; one that does so for a time may be between two rests. */
        boolean isResting(Thread thread) {
            return !gone && (isTimed || thread.getState() == state);
        }

        @Override
        public void run() {
            try {
                rest();
                gone = true;
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
