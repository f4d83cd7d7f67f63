package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** A thread that does what that of `BlockedEntry` does, in methods that have been executed often. */
public class HotBlockedEntry extends BlockedEntry implements Scenario {
    /** Enough for most compilers. */
    private static final int TIMES = 50_000;

    @Override
    void prepare() {
        Object own = new Object();
        for (int i = 0; i < TIMES; i++) {
            twice(own);
        }
    }
}
