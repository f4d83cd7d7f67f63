package jvmticheck.scenarios;

import java.util.concurrent.locks.ReentrantLock;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A call of a method that is in two try blocks and holds two locks when it reads a field: the first call, and one after many. */
public final class Finally implements Scenario {
    /** More calls than after which JVMs compile a method. */
    private static final int MANY = 20000;

    static int field;
    private static int entered;
    private static int inner;
    private static int outer;
    private static ReentrantLock lock;
    private static final Object monitor = new Object();

    @Override
    public void run() throws Exception {
        Probe.bind("class", Finally.class);
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("once");
        call("once");
        Probe.checkpoint("between");
        if (Probe.isUsed("often")) {
            lock = new ReentrantLock();
            for (int i = 0; i < MANY; i++) {
                attempt(i);
            }
            Probe.checkpoint("often");
            call("often");
        }
        Probe.checkpoint("after");
    }

    private static void call(String name) {
        entered = 0;
        inner = 0;
        outer = 0;
        lock = new ReentrantLock();
        field = 3;
        int result = attempt(4);
        Probe.fact(name + ".result", result);
        Probe.fact(name + ".entered", entered);
        Probe.fact(name + ".inner", inner);
        Probe.fact(name + ".outer", outer);
        Probe.fact(name + ".locked", lock.getHoldCount());
        Probe.fact(name + ".held", Thread.holdsLock(monitor) ? 1 : 0);
    }

    static int attempt(int number) {
        entered++;
        lock.lock();
        try {
            synchronized (monitor) {
                try {
                    return number + field;
                } finally {
                    inner++;
                }
            }
        } finally {
            outer++;
            lock.unlock();
        }
    }
}
