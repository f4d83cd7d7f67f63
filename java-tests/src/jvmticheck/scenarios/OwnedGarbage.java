package jvmticheck.scenarios;

import java.lang.ref.WeakReference;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that owns the monitor of an object to which no reference is left, if the agent has entered that monitor for it. */
public class OwnedGarbage extends OnPlatformThreads implements Scenario {
    @Override
    public final void run() throws Exception {
        Probe.bind("class", Garbage.class);
        Thread owner = create("owner", new Runnable() {
            @Override
            public void run() {
                Probe.checkpoint("before");
                Probe.fact("cleared", Reclaimed.collect(make()) ? 1 : 0);
                Probe.checkpoint("collected");
            }
        });
        Probe.bind("owner", owner);
        owner.start();
        owner.join();
        Probe.checkpoint("ended");
    }

    /** The agent can enter the monitor where the field is written. */
    static WeakReference<Garbage> make() {
        Garbage garbage = new Garbage();
        garbage.value = 1;
        return new WeakReference<Garbage>(garbage);
    }

    /** The class of the object. */
    static final class Garbage {
        int value;
    }
}
