package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Early;
import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Threads that were in their states before an agent was attached, a platform thread and virtual ones. Each waits on a monitor
 * afterwards, one thread after the other, and ends. JDK 21 and newer.
 */
public final class Attached implements Scenario, Early {
    private static final List<Doer> DOERS = new ArrayList<Doer>();

    @Override
    public void beforeAgents() throws Exception {
        for (String name : new String[] {"parked", "sleeping", "spinning", "pinned"}) {
            Doer doer = new Doer(name);
            doer.start(Virtual.thread(name, doer));
        }
        Doer platform = new Doer("platform");
        Thread thread = new Thread(platform, "platform");
        thread.setDaemon(true);
        platform.start(thread);
    }

    @Override
    public void run() throws Exception {
        Probe.bind("lock", Doer.LOCK);
        for (Doer doer : DOERS) {
            Probe.bind(doer.name, doer.thread);
        }
        Probe.checkpoint("attached");
        for (Doer doer : DOERS) {
            doer.end();
        }
        Probe.checkpoint("after");
    }

    /** Is in a state until it is to end. */
    private static final class Doer implements Runnable {
        static final Object LOCK = new Object();

        private final String name;
        private final Bodies bodies = new Bodies();
        private Thread thread;
        private volatile boolean runs;

        Doer(String name) {
            this.name = name;
        }

        void start(Thread executing) {
            thread = executing;
            DOERS.add(this);
            thread.start();
            while (!isReady()) {
                Thread.yield();
            }
        }

        /** Without the probe there is no `Probe.await`. */
        private boolean isReady() {
            State state = thread.getState();
            return name.equals("spinning") ? runs : state == State.WAITING || state == State.TIMED_WAITING;
        }

        void end() throws InterruptedException {
            bodies.over = true;
            LockSupport.unpark(thread);
            if (name.equals("sleeping")) {
                thread.interrupt();
            }
            thread.join();
        }

        @Override
        public void run() {
            switch (name) {
                case "sleeping":
                    bodies.sleep().run();
                    break;
                case "spinning":
                    runs = true;
                    bodies.spinUntilOver();
                    break;
                case "pinned":
                    synchronized (this) {
                        bodies.parkUntilOver(false);
                    }
                    break;
                default:
                    bodies.parkUntilOver(false);
            }
            synchronized (LOCK) {
                try {
                    LOCK.wait(1);
                } catch (InterruptedException nobody) {
                    throw new IllegalStateException(nobody);
                }
            }
        }
    }
}
