package jvmticheck.scenarios;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Objects that are copied. If garbage is collected meanwhile, a thread gives the object that is copied new parts, which nothing else
 * refers to. It owns a monitor until then, so that a callback can wait for it.
 */
public final class Copying implements Scenario {
    private static final int COPIES = 30;
    private static final int PARTS = 4;
    private static final int GARBAGE = 600;
    private static final int BYTES = 100_000;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

    private final Object lock = new Object();
    private final Whole original = new Whole();
    private WeakReference<Object> watched;
    private volatile boolean ready;
    private volatile boolean over;
    private volatile int next;
    /** Whether the JVM may collect garbage when it is asked to; some never do. */
    private volatile boolean isPossible = true;

    @Override
    public void run() throws Exception {
        Probe.bind("whole", Whole.class);
        Probe.bind("lock", lock);
        Probe.checkpoint("before");
        isPossible = Reclaimed.isPossible();
        litter();
        original.refill(0);
        Whole[] copies = new Whole[COPIES];
        int[] before = new int[COPIES];
        int[] after = new int[COPIES];
        Probe.checkpoint("warm");
        for (int i = 0; i < COPIES; i++) {
            before[i] = original.first.number;
            copies[i] = copy();
            after[i] = original.first.number;
        }
        Probe.checkpoint("copied");
        Probe.fact("refilled", next);
        original.refill(-PARTS);
        litter();
        Probe.fact("right", right(copies, before, after));
        System.gc();
        Probe.fact("right_later", right(copies, before, after));
        Probe.checkpoint("after");
    }

    /** Copies the object while a thread waits for a collection. */
    private Whole copy() throws Exception {
        ready = false;
        over = false;
        Thread refilling = Stage.daemon("refilling", new Runnable() {
            @Override
            public void run() {
                refill();
            }
        });
        refilling.start();
        Probe.await("the monitor to be owned", new Probe.Condition() {
            @Override
            public boolean holds() {
                return ready;
            }
        });
        Whole copy = original.copy();
        over = true;
        refilling.join();
        return copy;
    }

    private void refill() {
        synchronized (lock) {
            ReferenceQueue<Object> collected = new ReferenceQueue<Object>();
            watched = new WeakReference<Object>(new Object(), collected);
            ready = true;
            long begun = System.nanoTime();
            boolean isCollected = false;
            while (!isCollected && !over && isPossible) {
                Thread.yield();
                isCollected = collected.poll() != null;
                isPossible = System.nanoTime() - begun < PATIENCE;
            }
            if (isCollected && !over) {
                next++;
                original.refill(next * PARTS);
            }
        }
    }

    private void litter() {
        for (int i = 0; i < GARBAGE && isPossible; i++) {
            Whole.garbage = new byte[BYTES];
        }
        Whole.garbage = null;
    }

    /**
     * How many copies have all parts that the object had before, or all that it had afterwards: the JVM may tell of a copy that is
     * complete.
     */
    private static int right(Whole[] copies, int[] before, int[] after) {
        int right = 0;
        for (int i = 0; i < copies.length; i++) {
            right += copies[i].has(before[i]) || copies[i].has(after[i]) ? 1 : 0;
        }
        return right;
    }

    /** An object with parts. */
    static final class Whole implements Cloneable {
        static Object garbage;

        Part first;
        Part second;
        Part third;
        Part fourth;

        Whole copy() throws CloneNotSupportedException {
            return (Whole) clone();
        }

        /** Gives the object new parts, numbered from this on. */
        void refill(int number) {
            fourth = new Part(number + PARTS - 1);
            third = new Part(number + 2);
            second = new Part(number + 1);
            first = new Part(number);
        }

        boolean has(int number) {
            return first.number == number && second.number == number + 1 && third.number == number + 2
                    && fourth.number == number + PARTS - 1;
        }
    }

    /** A part, with its number. */
    static final class Part {
        final int number;

        Part(int number) {
            this.number = number;
        }
    }
}
