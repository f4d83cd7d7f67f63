package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that has to wait for a monitor in a method that has been called often and has a variable of its own. */
public class HotEntry extends OnPlatformThreads implements Scenario {
    /** Enough for most compilers, once they get a processor. */
    private static final int TIMES = 50_000;
    private static final int ATTEMPTS = 200;

    private static final Object LOCK = new Object();
    private static volatile int result;

    @Override
    public final void run() throws Exception {
        Probe.bind("lock", LOCK);
        Probe.bind("class", HotEntry.class);
        prepare();
        try (Stage stage = new Stage()) {
            Thread entering = stage.keep(create("entering", new Runnable() {
                @Override
                public void run() {
                    result = enterWith(LOCK, 5);
                }
            }));
            Probe.checkpoint("before");
            synchronized (LOCK) {
                stage.startBlocked(entering);
                Probe.checkpoint("blocked");
            }
            Probe.await(entering, State.TERMINATED);
        }
        Probe.fact("result", result);
        Probe.fact("compiled", Probe.isCompiled(HotEntry.class, "enterWith") ? 1 : 0);
        Probe.checkpoint("after");
    }

    private static void prepare() throws InterruptedException {
        Object own = new Object();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int sum = 0;
            for (int i = 0; i < TIMES; i++) {
                sum += enterWith(own, i);
            }
            result = sum;
            if (Proof.IS_INTERPRETED || Probe.isCompiled(HotEntry.class, "enterWith")) {
                return;
            }
            Thread.sleep(1);
        }
    }

    /** Returns three times the number: the variable in slot 2 has it from before the monitor is entered. */
    private static int enterWith(Object monitor, int number) {
        int kept = number * 3;
        synchronized (monitor) {
            result = number;
        }
        return kept;
    }
}
