package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Arrays of more elements than a byte or a short can count, with something to find at their ends and at each power of two. */
public final class LongArrays implements Scenario {
    private static final int LENGTH = 70000;
    private static final int[] PLACES = {0, 127, 128, 255, 256, 32767, 32768, 65535, 65536, LENGTH - 1};

    @Override
    public void run() {
        Object[] objects = new Object[LENGTH];
        int[] ints = new int[LENGTH];
        long[] longs = new long[LENGTH];
        byte[] bytes = new byte[LENGTH];
        char[] latin = new char[LENGTH];
        char[] wide = new char[LENGTH];
        for (int i = 0; i < LENGTH; i++) {
            latin[i] = 'a';
            wide[i] = '\u0444';
        }
        for (int place : PLACES) {
            objects[place] = new Found();
            ints[place] = place + 1;
            longs[place] = place + 1L;
            bytes[place] = 1;
        }
        Probe.bind("found_class", Found.class);
        Probe.bind("objects", objects);
        Probe.bind("ints", ints);
        Probe.bind("longs", longs);
        Probe.bind("bytes", bytes);
        Probe.bind("latin", new String(latin));
        Probe.bind("wide", new String(wide));
        Probe.checkpoint("filled");
    }

    /** What is found in the array of objects. */
    static final class Found {
    }
}
