package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Many parked threads of all kinds in groups within groups, one of which has hundreds of frames and a dozen monitors. */
public final class Throng implements Scenario {
    private static final int BELOW = 70;
    private static final int GROUPS = 12;
    private static final int LOCKS = 12;
    private static final int BETWEEN = 30;
    private static final int ENTRIES = 300;

    private final List<Thread> threads = new ArrayList<Thread>();
    private final Object[] locks = new Object[LOCKS];
    private final Object entered = new Object();
    private volatile boolean over;

    @Override
    public void run() throws Exception {
        ThreadGroup outer = new ThreadGroup(LongNames.repeated('\u0444', 300));
        outer.setMaxPriority(7);
        ThreadGroup[] groups = new ThreadGroup[GROUPS];
        for (int i = 0; i < GROUPS; i++) {
            groups[i] = new ThreadGroup(outer, i == 0 ? "" : "group" + i);
            add(groups[i], "of" + i, i % 2 == 0);
        }
        ThreadGroup inner = new ThreadGroup(groups[GROUPS - 1], "inner");
        inner.setMaxPriority(3);
        for (int i = 0; i < BELOW; i++) {
            add(inner, "below" + i, i % 2 == 0);
        }
        Thread deep = new Thread(outer, new Runnable() {
            @Override
            public void run() {
                hold(0);
            }
        }, "deep");
        threads.add(deep);
        Thread often = new Thread(groups[1], new Runnable() {
            @Override
            public void run() {
                enter(ENTRIES);
            }
        }, "often");
        threads.add(often);
        try {
            for (Thread thread : threads) {
                thread.start();
            }
            for (Thread thread : threads) {
                Probe.await(thread, State.WAITING);
            }
            bind(outer, groups, inner, deep);
            Probe.bind("often", often);
            Probe.bind("entered", entered);
            Probe.checkpoint("parked");
        } finally {
            over = true;
            for (Thread thread : threads) {
                LockSupport.unpark(thread);
            }
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }

    private void bind(ThreadGroup outer, ThreadGroup[] groups, ThreadGroup inner, Thread deep) {
        Probe.bind("outer", outer);
        Probe.bind("nameless", groups[0]);
        Probe.bind("last", groups[GROUPS - 1]);
        Probe.bind("inner", inner);
        Probe.bind("deep", deep);
        Probe.bind("daemon", threads.get(GROUPS));
        Probe.bind("other", threads.get(GROUPS + 1));
        Probe.bind("youngest", threads.get(GROUPS + BELOW - 1));
        Probe.bind("of_last", threads.get(GROUPS - 1));
        Thread ended = new Thread("ended");
        Probe.bind("fresh", ended);
        Probe.fact("threads", threads.size());
        StackTraceElement[] stack = deep.getStackTrace();
        Probe.fact("deep.frames", stack.length);
        int lock = LOCKS;
        for (int depth = 0; depth < stack.length; depth++) {
            if (stack[depth].getMethodName().equals("hold") && --lock < LOCKS) {
                Probe.fact("lock" + lock + ".depth", depth);
            }
        }
        for (int i = 0; i < LOCKS; i++) {
            Probe.bind("lock" + i, locks[i]);
        }
    }

    private void add(ThreadGroup group, String name, boolean daemon) {
        Thread thread = new Own(group, name);
        thread.setDaemon(daemon);
        threads.add(thread);
    }

    /** Holds a lock for each call of itself, and has other frames between these calls. */
    private void hold(int lock) {
        locks[lock] = lock == 1 ? Throng.class : lock == 2 ? new int[1] : new Object();
        synchronized (locks[lock]) {
            descend(lock, BETWEEN);
        }
    }

    private void descend(int lock, int frames) {
        if (frames > 0) {
            descend(lock, frames - 1);
        } else if (lock + 1 < LOCKS) {
            hold(lock + 1);
        } else {
            rest();
        }
    }

    private void enter(int entries) {
        synchronized (entered) {
            if (entries > 1) {
                enter(entries - 1);
            } else {
                rest();
            }
        }
    }

    private void rest() {
        while (!over) {
            LockSupport.park();
        }
    }

    /** A thread of a class of its own. */
    private final class Own extends Thread {
        Own(ThreadGroup group, String name) {
            super(group, name);
        }

        @Override
        public void run() {
            rest();
        }
    }
}
