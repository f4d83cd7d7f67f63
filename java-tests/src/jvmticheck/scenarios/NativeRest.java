package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Threads that rest in what `inner` calls, which `outer` has called: in Object.wait, LockSupport.park and Thread.sleep. In most class
 * libraries these end in native methods. Those of the second half of the threads have been called often. Only threads that a case names
 * exist. After `resting` the threads go on.
 */
public class NativeRest extends OnPlatformThreads implements Scenario {
    /** Calls after which HotSpot compiles a native method. */
    private static final int MANY = 20_000;
    private static final String[] DEEDS = {"waiting", "parked", "sleeping"};
    private static final Set<String> HOT = new HashSet<String>();

    private final Map<String, Object> monitors = new HashMap<String, Object>();
    private volatile boolean over;

    @Override
    public final void run() throws Exception {
        Probe.bind("class", NativeRest.class);
        try (Stage stage = new Stage()) {
            for (String deed : DEEDS) {
                start(stage, deed);
            }
            for (String deed : DEEDS) {
                if (Probe.isUsed(deed + "_hot") || Probe.isUsed(deed + "_hot_interrupted")) {
                    heat(deed);
                    start(stage, deed + "_hot");
                }
            }
            Probe.checkpoint("resting");
            over = true;
            for (Thread thread : stage.threads()) {
                release(thread);
                thread.join();
            }
        }
        Probe.checkpoint("over");
    }

    /** What an agent may call meanwhile. */
    static void returns() {
    }

    private void start(Stage stage, String deed) throws Exception {
        for (String name : new String[] {deed, deed + "_interrupted"}) {
            if (Probe.isUsed(name)) {
                Thread thread = stage.keep(create(name, resting(name)));
                if (deed.startsWith("sleeping")) {
                    stage.startTimed(thread, "sleep");
                } else {
                    stage.start(thread, State.WAITING, deed.startsWith("waiting") ? "wait" : "park");
                }
            }
        }
    }

    private void release(Thread thread) {
        if (thread.getName().endsWith("interrupted") || thread.getName().startsWith("sleeping")) {
            thread.interrupt();
        } else if (thread.getName().startsWith("waiting")) {
            Object monitor = monitors.get(thread.getName());
            synchronized (monitor) {
                monitor.notifyAll();
            }
        } else {
            LockSupport.unpark(thread);
        }
    }

    private Runnable resting(final String deed) {
        final Object monitor = new Object();
        monitors.put(deed, monitor);
        return new Runnable() {
            @Override
            public void run() {
                outer(deed, monitor);
            }
        };
    }

    private void outer(String deed, Object monitor) {
        try {
            inner(deed, monitor);
        } catch (InterruptedException expected) {
            return;
        }
    }

    /** A deed may end for no reason, and is then done again. */
    private void inner(String deed, Object monitor) throws InterruptedException {
        do {
            if (deed.startsWith("waiting")) {
                synchronized (monitor) {
                    monitor.wait();
                }
            } else if (deed.startsWith("parked")) {
                LockSupport.park();
            } else {
                Thread.sleep(Integer.MAX_VALUE);
            }
        } while (!over && !deed.endsWith("often"));
    }

    /** Does a deed often. It ends at once, because the thread is interrupted. */
    private void heat(String deed) {
        if (HOT.add(deed)) {
            Object monitor = new Object();
            for (int call = 0; call < MANY; call++) {
                Thread.currentThread().interrupt();
                outer(deed + "_often", monitor);
                Thread.interrupted();
            }
        }
    }
}
