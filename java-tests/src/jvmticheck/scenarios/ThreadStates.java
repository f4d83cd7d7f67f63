package jvmticheck.scenarios;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A platform thread in each state that Java code can bring it to, all at the checkpoint `states`. */
public final class ThreadStates implements Scenario {
    @Override
    public void run() throws Exception {
        final Object lock = new Object();
        final Object monitor = new Object();
        Probe.bind("lock", lock);
        Probe.bind("monitor", monitor);
        Pipe pipe = Pipe.open();
        try (Stage stage = new Stage()) {
            stage.cast("new_thread", stage.spin());
            Thread terminated = stage.start(stage.cast("terminated", Stage.enter(lock)), Thread.State.TERMINATED);
            terminated.join();
            stage.start(stage.cast("runner", stage.spin()), Thread.State.RUNNABLE);
            stage.start(stage.cast("interrupted", stage.spin()), Thread.State.RUNNABLE).interrupt();
            stage.start(stage.cast("sleeper", stage.sleep()), Thread.State.TIMED_WAITING);
            stage.start(stage.cast("waiter", stage.await(monitor, false)), Thread.State.WAITING);
            stage.start(stage.cast("timed_waiter", stage.await(monitor, true)), Thread.State.TIMED_WAITING);
            stage.start(stage.cast("parked", stage.park(false)), Thread.State.WAITING);
            stage.start(stage.cast("timed_parked", stage.park(true)), Thread.State.TIMED_WAITING);
            final Thread inNative = stage.cast("in_native", read(pipe));
            inNative.start();
            Probe.await("in_native to be in native code", new Probe.Condition() {
                @Override
                public boolean holds() {
                    StackTraceElement[] stack = inNative.getStackTrace();
                    return stack.length > 0 && stack[0].isNativeMethod();
                }
            });
            Object renotified = new Object();
            Thread afterWait = stage.start(stage.cast("blocked_after_wait", stage.await(renotified, false)), Thread.State.WAITING);
            synchronized (renotified) {
                renotified.notifyAll();
                Probe.await(afterWait, Thread.State.BLOCKED);
                synchronized (lock) {
                    stage.start(stage.cast("blocked", Stage.enter(lock)), Thread.State.BLOCKED);
                    stage.start(stage.cast("blocked_interrupted", Stage.enter(lock)), Thread.State.BLOCKED).interrupt();
                    stage.stateJavaStates();
                    Probe.checkpoint("states");
                }
            }
            pipe.sink().close();
        }
    }

    private static Runnable read(final Pipe pipe) {
        return new Runnable() {
            @Override
            public void run() {
                try {
                    pipe.source().read(ByteBuffer.allocate(1));
                } catch (IOException ended) {
                    // The stage interrupts all threads when it closes.
                }
            }
        };
    }
}
