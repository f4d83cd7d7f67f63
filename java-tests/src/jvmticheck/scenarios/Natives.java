package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Native methods of the agent's library, bound at their first call or by RegisterNatives. */
public final class Natives implements Scenario {
    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", Natives.class);
        Probe.checkpoint("before");
        Probe.fact("one.address", addressOfOne());
        Probe.fact("one", one());
        Probe.fact("two", two());
        Probe.checkpoint("bound");
        Probe.fact("one.again", one());
        Probe.fact("redirected", redirected());
        Probe.checkpoint("called");
        registerOne();
        Probe.fact("registered", registered());
        registerTwo();
        Probe.fact("registered.again", registered());
        Probe.checkpoint("after");
        unregister();
        Probe.checkpoint("unbound");
    }

    static native int one();

    static native int two();

    static native int redirected();

    static native long addressOfOne();

    static native void registerOne();

    static native void registerTwo();

    static native void unregister();

    static native int registered();
}
