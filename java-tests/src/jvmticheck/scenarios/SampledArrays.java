package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Arrays of several kinds, which another thread makes. */
public class SampledArrays extends OnPlatformThreads implements Scenario {
    private static final int BLOCKS = 128;
    /** Keeps what the agent may look for. Visible to other threads, so that no allocation can be optimised away. */
    static volatile Object kept;
    private static volatile long[] longs;
    private static volatile Element[] objects;
    private static volatile short[][][] grid;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("booleans", boolean[].class);
        Probe.bind("longs", long[].class);
        Probe.bind("objects", Element[].class);
        Probe.bind("grids", short[][][].class);
        Probe.bind("rows", short[][].class);
        Probe.bind("cells", short[].class);
        Probe.bind("clones", Part[].class);
        try (Stage stage = new Stage()) {
            Thread other = stage.keep(create("other", new Runnable() {
                @Override
                public void run() {
                    allocate();
                }
            }));
            Probe.bind("other", other);
            Probe.checkpoint("before");
            stage.startAndEnd(other);
            Probe.bind("made_longs", longs);
            Probe.bind("made_objects", objects);
            Probe.bind("made_grid", grid);
            Probe.bind("made_row", grid[1]);
            Probe.checkpoint("after");
        }
        kept = null;
        longs = null;
        objects = null;
        grid = null;
    }

    /** The blocks use up what an earlier sampling interval, of 512 KiB on average, may still demand of the thread's carrier. */
    private static void allocate() {
        for (int i = 0; i < BLOCKS; i++) {
            kept = new byte[128 << 10];
        }
        kept = new boolean[4001];
        longs = new long[40002];
        objects = new Element[4004];
        grid = new short[2][3][4005];
        Part[] parts = new Part[4006];
        kept = parts;
        kept = parts.clone();
    }

    /** The class of elements of arrays that nothing else makes. */
    static final class Element {
    }

    /** The class of elements of an array that is copied. */
    static final class Part {
    }
}
