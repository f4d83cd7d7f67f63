package jvmticheck.scenarios;

import java.util.Random;
import java.util.zip.Deflater;

/** Compresses data until the stage is over: native code may have direct access to its arrays most of the time, which then cannot move. */
final class Compressing implements Runnable {
    private static final int BYTES = 1 << 21;
    private static final int BEST = 9;

    private final Bodies bodies;

    Compressing(Bodies bodies) {
        this.bodies = bodies;
    }

    @Override
    public void run() {
        byte[] data = new byte[BYTES];
        byte[] compressed = new byte[BYTES];
        new Random(1).nextBytes(data);
        while (!bodies.over) {
            Deflater deflater = new Deflater(BEST);
            deflater.setInput(data);
            deflater.finish();
            while (!deflater.finished() && !bodies.over) {
                deflater.deflate(compressed);
            }
            deflater.end();
        }
    }
}
