package jvmticheck.scenarios;

import java.lang.ref.WeakReference;

/** Memory that the JVM frees. Some JVMs never free any, and may end when there is no more. */
final class Reclaimed {
    /** How many collections to request; JVMs that obey need one or two. */
    private static final int ATTEMPTS = 50;

    private Reclaimed() {
    }

    /** Whether the JVM frees objects when it is asked to. */
    static boolean isPossible() {
        return collect(new WeakReference<Object>(new Object()));
    }

    /** Requests collections until the JVM clears the reference, or has not done so for many of them. Returns whether it has. */
    static boolean collect(WeakReference<?> reference) {
        for (int attempt = 0; attempt < ATTEMPTS && reference.get() != null; attempt++) {
            System.gc();
        }
        return reference.get() == null;
    }
}
