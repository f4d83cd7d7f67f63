package jvmticheck.scenarios;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** What the threads of a stage do until the stage is over or they are interrupted. */
final class Bodies {
    /** A timeout far longer than any run. */
    private static final long DAY = TimeUnit.DAYS.toMillis(1);

    /** Whether the threads are to end once they are interrupted; a field, so that reading it needs no frame. */
    volatile boolean over;

    /** How often threads that were parked or waited went on although nobody had let them. */
    final AtomicInteger roused = new AtomicInteger();

    /**
     * Threads that are on their way to where they rest. Until then a park may return at once, because what the thread did before, such
     * as loading classes, has left it a permit.
     */
    final Set<Thread> arriving = Collections.newSetFromMap(new ConcurrentHashMap<Thread, Boolean>());

    /**
     * Loops without calls allocate an array every so many rounds, because the Zero VM cannot otherwise stop a thread in
     * such a loop: the allocation takes the thread into the VM, but not into another frame. An allocation in every
     * round would cause garbage collections, for which JDK 8 blocks the thread on a monitor for a moment.
     */
    static final int SOME = 4096;
    Object made;
    int rounds;

    /** The end of the pipe that `read` reads from into which nobody writes. */
    private volatile Pipe.SinkChannel sink;

    /** Spins in Java code without a call, so that a suspended thread is always in `spinUntilOver` itself. */
    Runnable spin() {
        return new Runnable() {
            @Override
            public void run() {
                spinUntilOver();
            }
        };
    }

    /** Makes the calling thread spin. */
    void spinUntilOver() {
        while (!over) {
            if (++rounds % SOME == 0) {
                made = new byte[0];
            }
        }
    }

    /** Parks, with a timeout if `timed`. */
    Runnable park(final boolean timed) {
        return new Runnable() {
            @Override
            public void run() {
                parkUntilOver(timed);
            }
        };
    }

    /** Parks the calling thread. */
    void parkUntilOver(boolean timed) {
        while (!over) {
            if (timed) {
                LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(DAY));
            } else {
                LockSupport.park(this);
            }
            if (!over && !Thread.currentThread().isInterrupted() && !arriving.contains(Thread.currentThread())) {
                roused.incrementAndGet();
            }
        }
    }

    /** Parks the calling thread until it is interrupted. */
    void parkUntilInterrupted() {
        while (!over && !Thread.currentThread().isInterrupted()) {
            LockSupport.park(this);
        }
    }

    /** Waits on the monitor, on which nobody notifies it, with a timeout if `timed`. */
    Runnable await(Object monitor, boolean timed) {
        return await(monitor, timed, roused);
    }

    /** Waits on a monitor on which somebody notifies it. */
    Runnable awaitNotified(Object monitor) {
        return await(monitor, false, new AtomicInteger());
    }

    private Runnable await(final Object monitor, final boolean timed, final AtomicInteger counted) {
        return new Runnable() {
            @Override
            public void run() {
                synchronized (monitor) {
                    while (!over) {
                        try {
                            monitor.wait(timed ? DAY : 0);
                            if (!over) {
                                counted.incrementAndGet();
                            }
                        } catch (InterruptedException ended) {
                            return;
                        }
                    }
                }
            }
        };
    }

    /** Sleeps. */
    Runnable sleep() {
        return new Runnable() {
            @Override
            public void run() {
                while (!over) {
                    try {
                        Thread.sleep(DAY);
                    } catch (InterruptedException ended) {
                        return;
                    }
                }
            }
        };
    }

    /** Reads from a pipe into which nobody writes, until `endReading` or until the thread is interrupted. */
    Runnable read() throws IOException {
        final Pipe pipe = Pipe.open();
        sink = pipe.sink();
        return new Runnable() {
            @Override
            public void run() {
                try (Pipe.SourceChannel source = pipe.source()) {
                    source.read(ByteBuffer.allocate(1));
                } catch (IOException interrupted) {
                    // This is how the thread ends.
                }
            }
        };
    }

    /**
     * Lets the thread that reads come to the end of the pipe. An interrupt does so as well, by a signal, which an emulator of
     * another processor may lose.
     */
    void endReading() {
        try (Pipe.SinkChannel open = sink) {
            sink = null;
        } catch (IOException e) {
            throw new IllegalStateException("the pipe cannot be closed", e);
        }
    }

    /** Enters the monitor and exits it. */
    static Runnable enter(final Object monitor) {
        return new Runnable() {
            @Override
            public void run() {
                enterAndLeave(monitor);
            }
        };
    }

    private static void enterAndLeave(Object monitor) {
        synchronized (monitor) {
            monitor.hashCode();
        }
    }
}
