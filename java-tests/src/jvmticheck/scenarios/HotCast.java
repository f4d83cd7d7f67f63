package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Platform threads in frames of methods that have been called often before. */
public final class HotCast implements Scenario {
    @Override
    public void run() throws Exception {
        Part.warm();
        try (Cast cast = new ThreadCast.Platform("hot_")) {
            gather(cast);
        }
    }

    /** Brings the threads into their states and marks the checkpoints. */
    static void gather(Cast cast) throws Exception {
        cast.waiters();
        cast.natives();
        synchronized (cast.lock) {
            cast.blocked();
            cast.show();
        }
    }
}
