package jvmticheck.scenarios;

import java.lang.ref.WeakReference;

/** Memory that the JVM frees. Some JVMs never free any, and may end when there is no more. */
final class Reclaimed {
    private static final int ATTEMPTS = 5;

    private Reclaimed() {
    }

    /** Whether the JVM frees objects when it is asked to. */
    static boolean isPossible() {
        WeakReference<Object> unused = new WeakReference<Object>(new Object());
        for (int i = 0; i < ATTEMPTS && unused.get() != null; i++) {
            System.gc();
        }
        return unused.get() == null;
    }
}
