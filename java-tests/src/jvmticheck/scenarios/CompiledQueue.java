package jvmticheck.scenarios;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A method of this class that is called so often that a JVM with a compiler compiles it, and then methods of classes that are
 * unloaded soon after. An agent that holds the thread on which it learns of the first method lets the news of the others wait until
 * their classes are gone. No JVM has to compile or unload anything.
 */
public final class CompiledQueue implements Scenario {
    private static final int OFTEN = 400000;
    private static final int CLASSES = 8;
    private static final int ATTEMPTS = 20;
    private static final long PATIENCE = 300;

    private static int sum;

    @Override
    public void run() throws Exception {
        Probe.checkpoint("before");
        for (int i = 0; i < OFTEN; i++) {
            first(i);
        }
        List<WeakReference<?>> loaders = new ArrayList<WeakReference<?>>();
        for (int made = 0; made < CLASSES; made++) {
            loaders.add(warm());
        }
        for (int attempt = 0; attempt < ATTEMPTS && Garbage.cleared(loaders) < CLASSES; attempt++) {
            System.gc();
        }
        Probe.fact("unloaded", Garbage.cleared(loaders));
        Probe.checkpoint("unloaded");
        Thread.sleep(PATIENCE);
        Probe.checkpoint("after");
    }

    static void first(int i) {
        sum = sum * 31 + i / 3;
    }

    /** This has a frame of its own, because a longer-lived frame would keep the class alive. */
    private static WeakReference<?> warm() throws Exception {
        FreshLoader loader = new FreshLoader(Compiled.Hot.class);
        Compiled.callOften(loader);
        return new WeakReference<Object>(loader);
    }
}
