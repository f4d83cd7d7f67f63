package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that does what that of `BlockedEntry` does, in methods that have been executed often. */
public class HotBlockedEntry extends BlockedEntry implements Scenario {
    /** Enough for most compilers, once they get a processor. */
    private static final int TIMES = 50_000;
    private static final int ATTEMPTS = 200;

    @Override
    void prepare() throws InterruptedException {
        Object own = new Object();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            for (int i = 0; i < TIMES; i++) {
                twice(own);
            }
            if (Proof.IS_INTERPRETED || Probe.isCompiled(BlockedEntry.class, "enter")) {
                return;
            }
            Thread.sleep(1);
        }
    }
}
