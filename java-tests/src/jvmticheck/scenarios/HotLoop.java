package jvmticheck.scenarios;

import java.util.concurrent.atomic.AtomicInteger;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread in a loop that has gone round so often that a JVM compiles it while it runs. A variable of the loop never changes, so that a
 * compiler may take it for a constant; a field that the loop writes is read only now and then.
 */
public class HotLoop extends OnPlatformThreads implements Scenario {
    /** More rounds than any JVM needs to compile a loop. */
    private static final int ROUNDS = 20_000_000;
    /** A JVM without a compiler would take long. */
    private static final long PATIENCE = 2_000;
    /** Rounds after the checkpoint. */
    private static final int MORE = 1_000;

    private final AtomicInteger result = new AtomicInteger();
    private volatile boolean over;
    private volatile boolean ended;
    private int entered;
    int written;
    volatile int shown;

    @Override
    public final void run() throws Exception {
        Probe.bind("object", this);
        Probe.bind("class", HotLoop.class);
        try (Stage stage = new Stage()) {
            Thread loop = stage.keep(create("looping", new Runnable() {
                @Override
                public void run() {
                    result.set(loop());
                    ended = true;
                }
            }));
            loop.start();
            final Patience patience = new Patience(PATIENCE, 0);
            while (shown < ROUNDS && patience.sleep()) {
                continue;
            }
            Probe.checkpoint("hot");
            final int before = shown;
            Probe.await("the loop to go on or to end", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return ended || shown - before >= MORE || shown < before;
                }
            });
            Probe.checkpoint("later");
            over = true;
            loop.join();
            Probe.fact("result", result.get());
            Probe.fact("entered", entered);
            Probe.checkpoint("after");
        }
    }

    /** Zero stops threads only where they call a method. */
    private static void step() {
    }

    /** `this` is in slot 0, `counter` in 1, `stop` in 2. The loop begins at 14. */
    final int loop() {
        int counter = 0;
        int stop = 0;
        entered++;
        while (stop == 0) {
            counter++;
            written = counter;
            shown = counter;
            step();
            if (over) {
                return -1;
            }
        }
        return stop;
    }
}
