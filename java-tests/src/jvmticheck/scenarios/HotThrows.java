package jvmticheck.scenarios;

import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Methods in which an instruction throws an exception each time, hundreds of times or thousands. They catch it themselves, or their
 * caller does.
 */
public final class HotThrows implements Scenario {
    private static final String[] KINDS = {
        "nullField", "nullWrite", "nullCall", "nullLength", "nullElement", "nullThrown", "nullMonitor", "index", "indexWrite",
        "divide", "remainder", "cast", "store", "negative", "same", "fresh",
    };
    /** Calls that are enough for a quick compiler to take notice. */
    private static final int HUNDREDS = 800;
    /** Calls that are enough for any compiler. */
    private static final int THOUSANDS = 8000;
    private static final IllegalStateException ERROR = new IllegalStateException();

    private static int zero = 0;
    private static int three = 3;
    private static int negative = -1;
    private static long wideZero = 0;
    private static int sink;
    private static int[] array = new int[3];
    private static int[] other;
    private static Object[] objects = new String[1];
    private static Object object = new Object();
    private static String text;
    private static Sized nothing;
    private static int[] noArray;
    private static IllegalStateException noError;
    private static int caught;

    private int runs;

    @Override
    public void run() throws IOException {
        Probe.bind("main", Thread.currentThread());
        for (int kind = 0; kind < KINDS.length; kind++) {
            turn(kind, false, KINDS[kind] + "_here_hundreds", HUNDREDS);
            turn(kind, false, KINDS[kind] + "_here_thousands", THOUSANDS);
            turn(kind, true, KINDS[kind] + "_below_hundreds", HUNDREDS);
            turn(kind, true, KINDS[kind] + "_below_thousands", THOUSANDS);
        }
        Probe.fact("runs", runs);
    }

    private void turn(int kind, boolean isBelow, String checkpoint, int times) {
        if (Probe.isUsed(checkpoint)) {
            caught = 0;
            call(kind, isBelow, times);
            Probe.checkpoint(checkpoint);
            call(kind, isBelow, 1);
            Probe.checkpoint("done");
            runs += caught == times + 1 ? 1 : 0;
        }
    }

    private static void call(int kind, boolean isBelow, int times) {
        for (int i = 0; i < times; i++) {
            if (isBelow) {
                callBelow(kind);
            } else {
                callHere(kind);
            }
        }
    }

    private static void callHere(int kind) {
        switch (kind) {
            case 0: nullFieldHere(); break;
            case 1: nullWriteHere(); break;
            case 2: nullCallHere(); break;
            case 3: nullLengthHere(); break;
            case 4: nullElementHere(); break;
            case 5: nullThrownHere(); break;
            case 6: nullMonitorHere(); break;
            case 7: indexHere(); break;
            case 8: indexWriteHere(); break;
            case 9: divideHere(); break;
            case 10: remainderHere(); break;
            case 11: castHere(); break;
            case 12: storeHere(); break;
            case 13: negativeHere(); break;
            case 14: sameHere(); break;
            default: freshHere();
        }
    }

    private static void callBelow(int kind) {
        try {
            switch (kind) {
                case 0: nullFieldThrown(); break;
                case 1: nullWriteThrown(); break;
                case 2: nullCallThrown(); break;
                case 3: nullLengthThrown(); break;
                case 4: nullElementThrown(); break;
                case 5: nullThrownThrown(); break;
                case 6: nullMonitorThrown(); break;
                case 7: indexThrown(); break;
                case 8: indexWriteThrown(); break;
                case 9: divideThrown(); break;
                case 10: remainderThrown(); break;
                case 11: castThrown(); break;
                case 12: storeThrown(); break;
                case 13: negativeThrown(); break;
                case 14: sameThrown(); break;
                default: freshThrown();
            }
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void nullFieldHere() {
        try {
            sink = nothing.size;
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void nullFieldThrown() {
        sink = nothing.size;
    }

    private static void nullWriteHere() {
        try {
            nothing.size = 1;
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void nullWriteThrown() {
        nothing.size = 1;
    }

    private static void nullCallHere() {
        try {
            sink = nothing.answer();
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void nullCallThrown() {
        sink = nothing.answer();
    }

    private static void nullLengthHere() {
        try {
            sink = noArray.length;
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void nullLengthThrown() {
        sink = noArray.length;
    }

    private static void nullElementHere() {
        try {
            sink = noArray[0];
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void nullElementThrown() {
        sink = noArray[0];
    }

    private static void nullThrownHere() {
        try {
            throw noError;
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void nullThrownThrown() {
        throw noError;
    }

    private static void nullMonitorHere() {
        try {
            synchronized (nothing) {
                sink = 1;
            }
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void nullMonitorThrown() {
        synchronized (nothing) {
            sink = 1;
        }
    }

    private static void indexHere() {
        try {
            sink = array[three];
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void indexThrown() {
        sink = array[three];
    }

    private static void indexWriteHere() {
        try {
            array[three] = 1;
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void indexWriteThrown() {
        array[three] = 1;
    }

    private static void divideHere() {
        try {
            sink = three / zero;
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void divideThrown() {
        sink = three / zero;
    }

    private static void remainderHere() {
        try {
            sink = (int) (7L % wideZero);
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void remainderThrown() {
        sink = (int) (7L % wideZero);
    }

    private static void castHere() {
        try {
            text = (String) object;
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void castThrown() {
        text = (String) object;
    }

    private static void storeHere() {
        try {
            objects[0] = object;
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void storeThrown() {
        objects[0] = object;
    }

    private static void negativeHere() {
        try {
            other = new int[negative];
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void negativeThrown() {
        other = new int[negative];
    }

    private static void sameHere() {
        try {
            throw ERROR;
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void sameThrown() {
        throw ERROR;
    }

    private static void freshHere() {
        try {
            throw new IllegalStateException();
        } catch (RuntimeException e) {
            caught++;
        }
    }

    private static void freshThrown() {
        throw new IllegalStateException();
    }

    static final class Sized {
        int size;

        int answer() {
            return size;
        }
    }
}
