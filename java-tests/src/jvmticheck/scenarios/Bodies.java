package jvmticheck.scenarios;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** What the threads of a stage do until it is over or they are interrupted. */
final class Bodies {
    /** A time-out far longer than any run. */
    private static final long DAY = TimeUnit.DAYS.toMillis(1);

    /** Whether the threads are to end, once interrupted; a field, so that to ask takes no frame. */
    volatile boolean over;

    /**
     * What loops without calls do every so many rounds, because the Zero VM does not let such a loop be stopped: to make
     * an array takes them into the VM, yet not into another frame. In every round it would have garbage collected, for
     * which JDK 8 blocks the thread on a monitor for a moment.
     */
    static final int SOME = 4096;
    Object made;
    int rounds;

    /** Spins in Java code, without a call: suspended, the thread is always found in `spinUntilOver` itself. */
    Runnable spin() {
        return new Runnable() {
            @Override
            public void run() {
                spinUntilOver();
            }
        };
    }

    /** Spins in the calling thread. */
    void spinUntilOver() {
        while (!over) {
            if (++rounds % SOME == 0) {
                made = new byte[0];
            }
        }
    }

    /** Parks, for a limited time if `timed`. */
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
        }
    }

    /** Waits on the monitor, for a limited time if `timed`. */
    Runnable await(final Object monitor, final boolean timed) {
        return new Runnable() {
            @Override
            public void run() {
                synchronized (monitor) {
                    while (!over) {
                        try {
                            monitor.wait(timed ? DAY : 0);
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

    /** Reads from a pipe into which nobody writes, until interrupted. */
    Runnable read() throws IOException {
        final Pipe pipe = Pipe.open();
        return new Runnable() {
            @Override
            public void run() {
                try (Pipe.SinkChannel sink = pipe.sink(); Pipe.SourceChannel source = pipe.source()) {
                    source.read(ByteBuffer.allocate(1));
                } catch (IOException interrupted) {
                    // That is how it ends.
                }
            }
        };
    }

    /** Enters the monitor and leaves it. */
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
