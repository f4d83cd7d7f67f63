package jvmticheck.scenarios;

import jvmticheck.Probe;

/**
 * What a thread of the cast executes: three frames with known variables above what it does. After each call the frame uses
 * its variables, so that no JVM may regard them as dead.
 */
final class Part implements Runnable {
    /** The values of `object` in the frames of `level1`, `level2` and `level3`. */
    static final String[] LABELS = {"the first label", "the second label", "the third label"};

    private static final int OFTEN = 30000;
    private static final int ATTEMPTS = 100;
    private static int calls;

    private final Runnable body;
    private volatile Object used;
    private volatile long sum;
    /** Whether a thread is about to run the body, or does. */
    volatile boolean isEntered;

    Part(Runnable body) {
        this.body = body;
    }

    @Override
    public void run() {
        level1(1, 1L << 41, 1.5f, 1.25, LABELS[0]);
    }

    private void level1(int number, long wide, float small, double large, Object object) {
        level2(2, 2L << 41, 2.5f, 2.25, LABELS[1]);
        use(number + wide, small + large, object);
    }

    private void level2(int number, long wide, float small, double large, Object object) {
        level3(3, 3L << 41, 3.5f, 3.25, LABELS[2]);
        use(number + wide, small + large, object);
    }

    private void level3(int number, long wide, float small, double large, Object object) {
        isEntered = true;
        body.run();
        use(number + wide, small + large, object);
    }

    private void use(long whole, double fraction, Object object) {
        sum = whole + (long) fraction;
        used = object;
    }

    /** Calls the methods until a compiler has compiled them, and states whether it has. */
    static void warm() {
        for (int attempt = 0; attempt < ATTEMPTS && !isCompiled(); attempt++) {
            call();
            if (Proof.IS_INTERPRETED) {
                break;
            }
        }
        Probe.fact("compiled", isCompiled() ? 1 : 0);
    }

    private static boolean isCompiled() {
        for (String method : new String[] {"run", "level1", "level2", "level3"}) {
            if (!Probe.isCompiled(Part.class, method)) {
                return false;
            }
        }
        return true;
    }

    /** With several bodies, so that the compiled code remains valid when there is another one. */
    private static void call() {
        Part[] parts = {
            new Part(new Runnable() {
                @Override
                public void run() {
                    calls++;
                }
            }),
            new Part(new Runnable() {
                @Override
                public void run() {
                    calls += 2;
                }
            }),
            new Part(new Runnable() {
                @Override
                public void run() {
                    calls += 3;
                }
            }),
        };
        for (int i = 0; i < OFTEN; i++) {
            parts[i % parts.length].run();
        }
    }

    /** A platform thread whose bottom frame is its own `run`, in every JVM. */
    static final class Actor extends Thread {
        private final Part part;

        Actor(String name, Part part) {
            super(name);
            this.part = part;
            setDaemon(true);
        }

        @Override
        public void run() {
            part.run();
        }
    }
}
