package jvmticheck.scenarios;

import java.util.Arrays;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Makes more arrays than the memory of the JVM holds at a time, so that it has to free some of them. */
public final class MoreThanFits implements Scenario {
    /** The elements of each array, and the bytes that each needs at least. */
    private static final int LENGTH = 1 << 17;
    private static final int BYTES = 4;
    /** How often the memory would be filled. */
    private static final int TIMES = 3;
    private static final int AT_A_TIME = 8;
    /** A JVM with more memory than this would have to do too much. */
    private static final long MOST = 1L << 29;

    /** The arrays that exist at `made`. */
    private static Object[] round;

    @Override
    public void run() throws Exception {
        MoreThanFits[] first = new MoreThanFits[LENGTH];
        Arrays.fill(first, this);
        Probe.bind("class", first.getClass());
        long memory = Runtime.getRuntime().maxMemory();
        long fits = memory / ((long) LENGTH * BYTES);
        long wanted = memory > MOST || !Reclaimed.isPossible() ? 0 : TIMES * fits;
        long created = 0;
        while (created < wanted) {
            round = new Object[AT_A_TIME];
            for (int i = 0; i < AT_A_TIME; i++) {
                round[i] = first.clone();
            }
            created += AT_A_TIME;
            Probe.checkpoint("made");
        }
        round = null;
        Probe.fact("created", created);
        Probe.fact("freed", Math.max(0, created - fits));
        Probe.checkpoint("over");
    }
}
