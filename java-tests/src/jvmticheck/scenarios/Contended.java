package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Platform threads that each have to wait for a monitor of their own once, which they enter in different ways. */
public class Contended extends OnPlatformThreads implements Scenario {
    /** In milliseconds. */
    private static final int MOMENT = 50;

    private volatile boolean begun;

    @Override
    public void run() throws Exception {
        final Object block = new Object();
        final Object jni = new Object();
        final Guarded guarded = new Guarded();
        try (Stage stage = new Stage()) {
            Thread[] threads = {
                start(stage, "by_block", block, new Runnable() {
                    @Override
                    public void run() {
                        synchronized (block) {
                            block.hashCode();
                        }
                    }
                }),
                start(stage, "by_method", guarded, guarded),
                start(stage, "by_jni", jni, new Runnable() {
                    @Override
                    public void run() {
                        CastNatives.enterAndCall(jni, new Nothing());
                    }
                }),
            };
            for (Thread thread : threads) {
                Probe.await(thread, State.WAITING);
            }
            Probe.checkpoint("before");
            synchronized (block) {
                synchronized (guarded) {
                    synchronized (jni) {
                        begin(threads);
                        // A JVM may tell that a thread is blocked a moment before it sends the event.
                        Thread.sleep(MOMENT);
                        Probe.checkpoint("contended");
                    }
                }
            }
            for (Thread thread : threads) {
                thread.join();
            }
            Probe.checkpoint("after");
        }
    }

    private void begin(Thread[] threads) {
        begun = true;
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
            Probe.await(thread, State.BLOCKED);
        }
    }

    private Thread start(Stage stage, String name, Object lock, final Runnable entering) throws Exception {
        Thread thread = stage.keep(create(name, new Runnable() {
            @Override
            public void run() {
                while (!begun) {
                    LockSupport.park(this);
                }
                entering.run();
            }
        }));
        Probe.bind(name, thread);
        Probe.bind(name + "_lock", lock);
        thread.start();
        return thread;
    }

    /** What a thread does in a monitor that it has entered through JNI. */
    private static final class Nothing implements Runnable {
        @Override
        public void run() {
            // The monitor is all that counts.
        }
    }

    /** What a synchronized method guards. */
    private static final class Guarded implements Runnable {
        @Override
        public synchronized void run() {
            hashCode();
        }
    }
}
