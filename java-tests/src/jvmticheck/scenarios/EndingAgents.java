package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** More agent threads than a JVM has threads of its own, which all end while the main thread holds the monitors of their Thread objects. */
public final class EndingAgents implements Scenario {
    private static final int MANY = 24;
    private final CountDownLatch gate = new CountDownLatch(1);
    private final List<Thread> agents = new ArrayList<Thread>();

    @Override
    public void run() throws InterruptedException {
        Probe.bind("main", Thread.currentThread());
        for (int i = 0; i < MANY; i++) {
            Thread agent = new Thread("ending" + i);
            agents.add(agent);
            CastNatives.runAgentThread(agent, new Runnable() {
                @Override
                public void run() {
                    try {
                        gate.await();
                    } catch (InterruptedException end) {
                        // Nobody interrupts it.
                    }
                }
            });
        }
        endWhileHeld(0);
        for (Thread agent : agents) {
            agent.join();
        }
        Probe.checkpoint("after");
    }

    /** Has the threads end while the monitors of those from that index on are held. The JVM may enter them in order to end the threads. */
    private void endWhileHeld(int from) {
        if (from < MANY) {
            synchronized (agents.get(from)) {
                endWhileHeld(from + 1);
            }
            return;
        }
        gate.countDown();
        for (Thread agent : agents) {
            Probe.await(agent, Thread.State.BLOCKED, Thread.State.TERMINATED);
        }
        Probe.checkpoint("ending");
    }
}
