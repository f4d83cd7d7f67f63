package jvmticheck.scenarios;

import java.util.concurrent.atomic.AtomicInteger;

import jvmticheck.Probe;

/**
 * A virtual thread that is unmounted and mounted again and again, and three others that do something to it all the time. JDK 21 and
 * newer.
 */
abstract class Beset {
    private static final int BESETTING = 3;

    volatile boolean over;
    /** The number of checkpoints that were passed. */
    volatile int passed;
    /** How often the thread has been about to rest. */
    private volatile int rests;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger gone = new AtomicInteger();
    private final String name;
    private final String others;
    private final int rounds;
    private final long patience;

    /** The names of the thread and of the others, which are numbered; how many rounds there are, and how long each waits at most, in ns. */
    Beset(String name, String others, int rounds, long patience) {
        this.name = name;
        this.others = others;
        this.rounds = rounds;
        this.patience = patience;
    }

    /** Unmounts the thread for a moment. */
    abstract void rest();

    /** What a thread does to the beset one until it is over. */
    abstract void beset(Thread thread, int number);

    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            final Thread thread = stage.keep(Virtual.thread(name, new Runnable() {
                @Override
                public void run() {
                    while (!over) {
                        rests++;
                        rest();
                    }
                }
            }));
            thread.start();
            for (int i = 1; i <= BESETTING; i++) {
                final int number = i;
                stage.keep(Virtual.thread(others + i, new Runnable() {
                    @Override
                    public void run() {
                        begun.incrementAndGet();
                        beset(thread, number);
                        gone.incrementAndGet();
                    }
                })).start();
            }
            Probe.await("all threads to begin", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return begun.get() == BESETTING;
                }
            });
            for (int i = 0; i < rounds; i++) {
                Probe.checkpoint("round");
                letRest();
                Probe.checkpoint("next");
                letRest();
            }
            Probe.checkpoint("resumed");
            over = true;
        }
        Probe.fact("gone", gone.get());
    }

    /** Waits until the thread has been unmounted again, but not for long: it may be that it cannot go on. */
    private void letRest() {
        passed++;
        final int before = rests;
        Probe.await(patience, new Probe.Condition() {
            @Override
            public boolean holds() {
                return rests - before >= 2;
            }
        });
    }
}
