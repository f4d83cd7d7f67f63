package jvmticheck.scenarios;

/** Native methods of the probe's library that bring threads into states which Java code cannot. */
final class CastNatives {
    /** An instance has a native method that is not static, which is all that it is good for. */
    CastNatives() {
    }

    /** Makes `stay` and `waitRaw` keep threads until `open`. */
    static native void close();

    /** Lets all threads go on that are kept in native code. */
    static native void open();

    /** Stays in native code until `open`. */
    static native void stay();

    /** Waits until as many threads as given stay in native code since `close`, or have stayed there. */
    static native void awaitStaying(int threads);

    /** Does the same as `stay` if that is wanted, and nothing otherwise. */
    static native void stayIf(boolean wanted);

    /** Does nothing. */
    static synchronized native void pass();

    /** Calls it from native code. */
    static native void call(Runnable body);

    /** The same as an instance method. */
    native void callOnThis(Runnable body);

    /** Enters the monitor through JNI, calls the body, and exits the monitor. */
    static native void enterAndCall(Object monitor, Runnable body);

    /** Waits on a raw monitor until `open`. */
    static native void waitRaw();

    /** Waits until as many threads as given are in `waitRaw`. */
    static native void awaitRaw(int threads);

    /** Starts a native thread and attaches it under that name. It runs the body, or stays in native code if that is null. */
    static native Thread attach(String name, Runnable body);

    /** Waits for the end of the threads that `attach` has started. */
    static native void join();

    /** Starts a thread by JVM TI's RunAgentThread. It runs the body, or stays in native code if that is null. */
    static native void runAgentThread(Thread thread, Runnable body);
}
