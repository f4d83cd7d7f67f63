package jvmticheck.scenarios;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Arrays that there is no room for, until an agent makes room while it is told so. They are asked for in several ways, first and often. */
public final class FreedMeanwhile implements Scenario {
    private static final int CALLS = 20_000;
    /** A JVM with more memory than this would have to do too much. */
    private static final long MOST = 1L << 27;
    private static final int PART = 1 << 20;
    private static final int LARGE = 12 * PART;
    private static final String[] WAYS = {"bytes", "objects", "several", "reflected", "copied", "cloned"};

    /** So that no allocation can be optimised away. */
    static volatile Object kept;
    private static byte[] original;
    private static volatile List<byte[]> ballast;
    private static volatile int released;

    @Override
    public void run() {
        boolean isSmall = Runtime.getRuntime().maxMemory() < MOST && Reclaimed.isPossible();
        Probe.bind("class", FreedMeanwhile.class);
        Probe.bind("main", Thread.currentThread());
        original = new byte[isSmall ? LARGE : 1];
        release();
        attemptAll(isSmall, "");
        byte[] small = new byte[5];
        for (int i = 0; i < CALLS; i++) {
            for (int way = 0; way < WAYS.length; way++) {
                make(way, small, i % 10);
            }
        }
        attemptAll(isSmall, "hot_");
        original = null;
        kept = null;
        ballast = null;
        Probe.checkpoint("after");
    }

    private static void attemptAll(boolean isSmall, String prefix) {
        for (int way = 0; way < WAYS.length; way++) {
            String name = prefix + WAYS[way];
            if (Probe.isUsed("full_" + name)) {
                attempt(way, name, isSmall);
            }
        }
    }

    private static void attempt(int way, String name, boolean isSmall) {
        if (isSmall) {
            fill();
        }
        Probe.checkpoint("full_" + name);
        released = 0;
        int failed = 0;
        try {
            make(way, original, isSmall ? LARGE : 0);
        } catch (OutOfMemoryError expected) {
            failed = 1;
        }
        kept = null;
        int count = released;
        ballast = null;
        Probe.fact(name, failed);
        Probe.fact(name + ".released", count);
        Probe.checkpoint("tried_" + name);
    }

    /** Leaves room for two parts, which is too little for a large array. */
    private static void fill() {
        List<byte[]> parts = new ArrayList<byte[]>(1000);
        ballast = parts;
        try {
            while (parts.size() < MOST / PART) {
                parts.add(new byte[PART]);
            }
        } catch (OutOfMemoryError full) {
            parts.remove(parts.size() - 1);
            parts.remove(parts.size() - 1);
        }
    }

    /** Makes room. For agents to call. */
    static void release() {
        ballast = null;
        released++;
    }

    private static void make(int way, byte[] from, int length) {
        switch (way) {
            case 0:
                kept = new byte[length];
                break;
            case 1:
                kept = new Object[length];
                break;
            case 2:
                kept = new byte[2][length];
                break;
            case 3:
                kept = Array.newInstance(byte.class, length);
                break;
            case 4:
                kept = Arrays.copyOf(from, length);
                break;
            default:
                kept = from.clone();
        }
    }
}
