package jvmticheck.scenarios;

import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Methods that cause events while they run, and return 10 in the original version of their class. An agent may redefine the class in the
 * callbacks. `Fresh` is a class that is new in each run, and is prepared between `before` and `prepared`.
 */
public final class EventfulMethod implements Scenario {
    /** Calls that are enough for a compiler to take notice. */
    private static final int OFTEN = 6000;
    /** Calls that are enough once it has compiled the method, which cases make it do again. */
    private static final int AGAIN = 1200;
    /** Arrays of 10,000 bytes: enough for a new sampling interval to take effect. */
    private static final int MANY = 3000;
    private static boolean isWarm;
    private static volatile byte[] garbage;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", Deed.class);
        Probe.bind("original", new EditedClass(Deed.class).bytes());
        Probe.bind("made", Made.class);
        int times = isWarm ? AGAIN : OFTEN;
        isWarm = true;
        Deed deed = new Deed();
        for (int i = 0; i < times; i++) {
            deed.does(false);
        }
        FreshLoader loader = new FreshLoader(Fresh.class);
        byte[] file = new EditedClass(Fresh.class).bytes();
        Class<?> fresh = loader.define(Fresh.class.getName(), file);
        Probe.bind("fresh", fresh);
        Probe.bind("fresh_file", file);
        Probe.checkpoint("before");
        Callable<?> made = (Callable<?>) loader.made(Fresh.class);
        Probe.fact("fresh", (Integer) made.call());
        Probe.checkpoint("prepared");
        if (Probe.isUsed("sampled")) {
            for (int i = 0; i < MANY; i++) {
                garbage = new byte[10000];
            }
            Probe.checkpoint("sampled");
        }
        Probe.fact("first", deed.does(true));
        Probe.checkpoint("once");
        Probe.fact("second", deed.does(true));
        int sum = 0;
        for (int i = 0; i < times; i++) {
            sum += deed.does(false);
        }
        Probe.fact("others", sum / times);
        Probe.checkpoint("after");
    }

    /** What the method makes. */
    static final class Made {
        int number;
    }

    /** A class whose method does many things, one after the other. */
    static final class Deed {
        private final IllegalStateException failure = new IllegalStateException();
        int read;
        int written;
        Made made;

        /** Returns 10; `waits` tells whether it waits for a moment. */
        int does(boolean waits) {
            Deed same = this;
            Made kept = new Made();
            int result = 10;
            written = same.read;
            made = new Made();
            try {
                fail();
            } catch (IllegalStateException expected) {
                written = 2;
            }
            if (waits) {
                waits();
            }
            kept.number++;
            return result;
        }

        private void fail() {
            throw failure;
        }

        private synchronized void waits() {
            try {
                wait(1);
            } catch (InterruptedException nobody) {
                written = 3;
            }
        }
    }

    /** A class that has not been prepared. */
    public static final class Fresh implements Callable<Integer> {
        @Override
        public Integer call() {
            return 10;
        }
    }
}
