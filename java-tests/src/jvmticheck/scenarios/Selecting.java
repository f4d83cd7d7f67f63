package jvmticheck.scenarios;

import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.Pipe;
import java.nio.channels.Selector;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that waits in a selector, and one that reads from a pipe to which nobody writes, until they are interrupted. */
public final class Selecting implements Scenario {
    /** How long an interrupt may take, which wakes threads at once where it wakes them at all. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(3);

    private volatile String selected = "nothing";
    private volatile String read = "nothing";

    @Override
    public void run() throws Exception {
        final Selector selector = Selector.open();
        final Pipe pipe = Pipe.open();
        try (Stage stage = new Stage()) {
            Thread selecting = stage.cast("selecting", new Runnable() {
                @Override
                public void run() {
                    try {
                        selector.select();
                        selected = Thread.currentThread().isInterrupted() ? "interrupted" : "woken";
                    } catch (Exception thrown) {
                        selected = thrown.toString();
                    }
                }
            });
            Thread reading = stage.cast("reading", new Runnable() {
                @Override
                public void run() {
                    try {
                        int count = pipe.source().read(ByteBuffer.allocate(1));
                        read = "read " + count;
                    } catch (ClosedByInterruptException closed) {
                        read = Thread.currentThread().isInterrupted() ? "interrupted" : "closed";
                    } catch (Exception thrown) {
                        read = thrown.toString();
                    }
                }
            });
            selecting.start();
            reading.start();
            Probe.awaitFrame(selecting, "select", 10);
            Probe.awaitFrame(reading, "read", 10);
            // The threads are about to wait, or do so; Java has no means to tell.
            Thread.sleep(100);
            Probe.checkpoint("selecting");
            if (Probe.isUsed("selecting")) {
                long start = System.nanoTime();
                while ((selecting.isAlive() || reading.isAlive()) && System.nanoTime() - start < PATIENCE) {
                    Thread.sleep(1);
                }
            }
            Probe.fact("selected", selected);
            Probe.fact("read", read);
            selector.wakeup();
            pipe.sink().write(ByteBuffer.allocate(1));
            selecting.join();
            reading.join();
        } finally {
            selector.close();
            pipe.sink().close();
            pipe.source().close();
        }
    }
}
