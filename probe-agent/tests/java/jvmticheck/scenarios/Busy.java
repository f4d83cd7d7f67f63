package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;
import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A little of everything that there are events for. */
public class Busy implements Scenario {
    static final Object LOCK = new Object();
    volatile int field;

    @Override
    public void run() throws Exception {
        Probe.bind("object", this);
        Probe.bind("class", Busy.class);
        Probe.bind("unstarted", new Thread("unstarted"));
        Probe.bind("group", Thread.currentThread().getThreadGroup());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Thread thread = new Thread("busy " + i) {
                @Override
                public void run() {
                    work();
                }
            };
            threads.add(thread);
            thread.start();
        }
        Probe.checkpoint("busy");
        work();
        for (Thread thread : threads) {
            thread.join();
        }
        System.gc();
        Probe.checkpoint("done");
    }

    void work() {
        for (int i = 0; i < 200; i++) {
            try {
                synchronized (LOCK) {
                    field++;
                    if (i % 10 == 0) {
                        LOCK.wait(1);
                    }
                    LOCK.notifyAll();
                }
                divide(i, i % 50);
            } catch (ArithmeticException e) {
                field--;
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    int divide(int a, int b) {
        return a / b + new int[16].length;
    }
}
