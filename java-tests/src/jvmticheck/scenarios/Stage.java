package jvmticheck.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;

/** The threads of a scenario: started under a name, brought to a state, and all ended when it closes. */
final class Stage implements AutoCloseable {
    private final List<Thread> threads = new ArrayList<Thread>();
    private volatile boolean over;

    /** Whether the threads are to end. */
    boolean isOver() {
        return over;
    }

    /** A daemon thread of that name, bound and not yet started. */
    Thread cast(String name, Runnable body) {
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        return keep(thread);
    }

    /** Takes charge of a thread: binds it to its name, and ends it with the others. */
    Thread keep(Thread thread) {
        threads.add(thread);
        Probe.bind(thread.getName(), thread);
        return thread;
    }

    /** Starts a thread and waits until it is in that state. */
    Thread start(Thread thread, Thread.State state) {
        thread.start();
        Probe.await(thread, state);
        return thread;
    }

    /** Starts a thread and waits until its topmost frame is a method of that name. */
    Thread startInto(Thread thread, String method) {
        thread.start();
        Probe.awaitStackTop(thread, method);
        return thread;
    }

    /** States under `NAME.java-state` what Java says of each thread. */
    void stateJavaStates() {
        for (Thread thread : threads) {
            Probe.fact(thread.getName() + ".java-state", thread.getState().name());
        }
    }

    /** Body that spins in Java code. */
    Runnable spin() {
        return new Runnable() {
            @Override
            public void run() {
                while (!over) {
                    Thread.yield();
                }
            }
        };
    }

    /** Body that parks until the stage is over, for a time far longer than any run if `timed`. */
    Runnable park(final boolean timed) {
        return new Runnable() {
            @Override
            public void run() {
                while (!over) {
                    if (timed) {
                        LockSupport.parkNanos(Stage.this, Long.MAX_VALUE / 4);
                    } else {
                        LockSupport.park(Stage.this);
                    }
                }
            }
        };
    }

    /** Body that waits on the monitor until the stage is over. */
    Runnable await(final Object monitor, final boolean timed) {
        return new Runnable() {
            @Override
            public void run() {
                synchronized (monitor) {
                    while (!over) {
                        try {
                            monitor.wait(timed ? Long.MAX_VALUE / 4 : 0);
                        } catch (InterruptedException ended) {
                            return;
                        }
                    }
                }
            }
        };
    }

    /** Body that sleeps until the stage is over. */
    Runnable sleep() {
        return new Runnable() {
            @Override
            public void run() {
                while (!over) {
                    try {
                        Thread.sleep(Long.MAX_VALUE / 4);
                    } catch (InterruptedException ended) {
                        return;
                    }
                }
            }
        };
    }

    /** Body that enters the monitor. */
    static Runnable enter(final Object monitor) {
        return new Runnable() {
            @Override
            public void run() {
                synchronized (monitor) {
                    monitor.hashCode();
                }
            }
        };
    }

    @Override
    public void close() {
        over = true;
        boolean interrupted = false;
        for (Thread thread : threads) {
            if (thread.getState() == Thread.State.NEW) {
                continue;
            }
            thread.interrupt();
            LockSupport.unpark(thread);
        }
        for (Thread thread : threads) {
            while (thread.getState() != Thread.State.NEW && thread.getState() != Thread.State.TERMINATED) {
                try {
                    thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
