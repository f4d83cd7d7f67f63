package jvmticheck.scenarios;

import java.util.Random;
import java.util.zip.Deflater;

/** Compresses data until it is over: native code may have direct access to its arrays most of the time, which then cannot move. */
final class Compressing implements Runnable {
    private static final int BYTES = 1 << 21;
    private static final int BEST = 9;

    volatile boolean over;

    @Override
    public void run() {
        byte[] data = new byte[BYTES];
        byte[] compressed = new byte[BYTES];
        new Random(1).nextBytes(data);
        while (!over) {
            Deflater deflater = new Deflater(BEST);
            deflater.setInput(data);
            deflater.finish();
            while (!deflater.finished() && !over) {
                deflater.deflate(compressed);
            }
            deflater.end();
        }
    }
}
