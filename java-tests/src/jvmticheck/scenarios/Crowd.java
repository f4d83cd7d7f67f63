package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;

/** The threads of `Explored` for sequences in which several threads act at the same time. */
final class Crowd {
    private static final ThreadGroup AGENTS = new ThreadGroup("agents");
    private static final Thread[] HIRED = new Thread[3];
    private static final List<Thread> STIRRED = new ArrayList<Thread>();
    /** Milliseconds for which a thread is awaited that may be stuck. */
    private static final long STIR_PATIENCE = 500;
    private static final Object LOCK = new Object();

    private Crowd() {
    }

    /** Binds the names of the threads before there are any. */
    static void bind(boolean virtual) throws Exception {
        Probe.bind("stirred", new Thread("stirred"));
        if (virtual) {
            Probe.bind("virtual_stirred", Virtual.thread("virtual_stirred", new Stir()));
        }
        // Those of an earlier run of the scenario are not bound in this one.
        Arrays.fill(HIRED, null);
        hire();
    }

    /** Binds threads that are not started, for RunAgentThread. Their group is their own, so that none waits for its lock. */
    static void hire() {
        for (int i = 0; i < HIRED.length; i++) {
            if (HIRED[i] == null || HIRED[i].getState() != State.NEW) {
                HIRED[i] = new Thread(AGENTS, "agent" + (i + 1));
                Probe.bind(HIRED[i].getName(), HIRED[i]);
            }
        }
    }

    /** Waits for the ends of the agent threads. */
    static void gather() throws Exception {
        for (Thread agent : HIRED) {
            if (agent.getState() != State.NEW) {
                agent.join();
            }
        }
    }

    /** Starts the threads that do everything, for a while. */
    static void stir(boolean virtual) throws Exception {
        still();
        begin("stirred", new Thread(AGENTS, new Stir(), "stirred"));
        if (virtual) {
            begin("virtual_stirred", Virtual.thread("virtual_stirred", new Stir()));
        }
    }

    private static void begin(String name, Thread thread) {
        STIRRED.add(thread);
        thread.start();
        Probe.bind(name, thread);
    }

    /** Has these threads end, as far as they still can. */
    static void still() throws Exception {
        Stir.over = true;
        for (Thread thread : STIRRED) {
            thread.join(STIR_PATIENCE);
        }
        STIRRED.clear();
        Stir.over = false;
    }

    /** Calls, throws, locks, parks and yields. */
    static final class Stir implements Runnable {
        private static final int TIMES = 400;
        private static final int DEEP = 12;
        static volatile boolean over;
        private int sum;

        @Override
        public void run() {
            for (int i = 0; i < TIMES && !over; i++) {
                try {
                    step(i);
                } catch (Exception thrown) {
                    // StopThread has thrown it.
                    sum++;
                }
            }
        }

        private void step(int i) {
            switch (i & 7) {
                case 0:
                    sum += Explored.twice(i);
                    break;
                case 1:
                    sum += Explored.Target.loop(3);
                    break;
                case 2:
                    Explored.fling();
                    break;
                case 3:
                    locked(DEEP / 2);
                    break;
                case 4:
                    Thread.yield();
                    break;
                case 5:
                    LockSupport.parkNanos(1000);
                    break;
                case 6:
                    sum += deep(DEEP, 1L, 1.0);
                    break;
                default:
                    Explored.sink = new long[i];
            }
        }

        private int deep(int left, long wide, double large) {
            return left == 0 ? Explored.Target.answer(left) : 1 + deep(left - 1, wide + left, large * 2);
        }

        private void locked(int left) {
            synchronized (LOCK) {
                sum++;
                if (left > 0) {
                    locked(left - 1);
                } else {
                    Thread.yield();
                }
            }
        }
    }
}
