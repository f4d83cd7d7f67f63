package jvmticheck.scenarios;

/** Native methods of the probe's library that bring threads into states which Java code cannot. */
final class CastNatives {
    private CastNatives() {
    }

    /** Makes `stay` and `waitRaw` keep threads until `open`. */
    static native void close();

    /** Lets all threads go on that `stay` or `waitRaw` keeps, and ends those that `attach` has started. */
    static native void open();

    /** Stays in native code until `open`. */
    static native void stay();

    /** Does the same if that is wanted, and nothing otherwise. */
    static native void stayIf(boolean wanted);

    /** Calls it from native code. */
    static native void call(Runnable body);

    /** Enters the monitor through JNI, calls the body, and exits the monitor. */
    static native void enterAndCall(Object monitor, Runnable body);

    /** Waits on a raw monitor until `open`. */
    static native void waitRaw();

    /** Waits until as many threads as given are in `waitRaw`. */
    static native void awaitRaw(int threads);

    /** Starts a native thread, attaches it under that name, and keeps it in native code without a frame of Java. */
    static native Thread attach(String name);
}
