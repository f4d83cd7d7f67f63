package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that does everything that makes a JVM send events of a thread, and goes on with the next deed when one throws: an agent may leave
 * an exception behind in an event. In the end the thread tells what it can still do.
 */
public class ExceptionLeft extends OnPlatformThreads implements Scenario {
    static int field;
    static volatile Object kept;
    static volatile int blocked;

    /** How long a thread may take that nothing hinders, in milliseconds, and how often the main thread sleeps in that time at least. */
    private static final long PATIENCE = 5000;
    private static final int SLEEPS = 500;

    private final Object lock = new Object();
    private volatile int thrown;
    private volatile int sum;

    @Override
    public final void run() throws Exception {
        final byte[] file = new ClassFile(Fresh.class).bytes;
        final Thread one = create("one", new Runnable() {
            @Override
            public void run() {
                Probe.checkpoint("begin");
                for (int deed = 0; deed < 8; deed++) {
                    attempt(deed, file);
                }
                Probe.checkpoint("end");
                sum = last(20);
            }
        });
        Probe.bind("one", one);
        blocked = 0;
        Probe.bind("error", new Error("sent by the agent"));
        Probe.bind("class", ExceptionLeft.class);
        Probe.checkpoint("before");
        final Thread joiner = Stage.daemon("joiner", new Runnable() {
            @Override
            public void run() {
                try {
                    one.join();
                } catch (InterruptedException nobody) {
                    throw new IllegalStateException(nobody);
                }
            }
        });
        synchronized (lock) {
            one.start();
            joiner.start();
            new Patience(PATIENCE, SLEEPS).until(new Probe.Condition() {
                @Override
                public boolean holds() {
                    return one.getState() == State.BLOCKED || !joiner.isAlive();
                }
            });
        }
        Probe.fact("joined", new Patience(PATIENCE, SLEEPS).untilEnded(joiner) ? 1 : 0);
        Probe.checkpoint("after");
        Probe.fact("thrown", thrown);
        Probe.fact("sum", sum);
        Probe.fact("blocked", blocked);
    }

    private void attempt(int deed, byte[] file) {
        try {
            perform(deed, file);
        } catch (Throwable left) {
            thrown++;
        }
    }

    private void perform(int deed, byte[] file) throws Exception {
        switch (deed) {
            case 0:
                enter();
                break;
            case 1:
                await();
                break;
            case 2:
                field = field + deed;
                break;
            case 3:
                kept = new int[64].clone();
                break;
            case 4:
                caught();
                break;
            case 5:
                kept = new Loader(file).define().getDeclaredMethods();
                break;
            case 6:
                Thread.yield();
                kept = Thread.currentThread().getStackTrace();
                break;
            default:
                target(deed);
                break;
        }
    }

    private void enter() {
        synchronized (lock) {
            field++;
        }
    }

    private void await() throws InterruptedException {
        synchronized (lock) {
            lock.wait(1);
        }
    }

    /** Exceptions are thrown and caught. */
    private static void caught() {
        try {
            thrower();
        } catch (IllegalStateException caught) {
            kept = caught;
        }
    }

    private static void thrower() {
        throw new IllegalStateException("caught at once");
    }

    /** An event may come here. */
    static int target(int argument) {
        return argument * 2 + 1;
    }

    /** The agent may call it in an event: the thread waits in all ways, and queues for a monitor. */
    static void block() throws InterruptedException {
        final Object own = new Object();
        synchronized (own) {
            own.wait(1);
        }
        Thread.sleep(1);
        LockSupport.parkNanos(1000);
        Thread.yield();
        final CountDownLatch held = new CountDownLatch(1);
        final Thread self = Thread.currentThread();
        Stage.daemon("holder", new Runnable() {
            @Override
            public void run() {
                synchronized (own) {
                    held.countDown();
                    long start = System.nanoTime();
                    while (self.getState() != State.BLOCKED && System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(PATIENCE)) {
                        Thread.yield();
                    }
                }
            }
        }).start();
        held.await();
        synchronized (own) {
            blocked++;
        }
    }

    /** Calls many methods, and allocates, once no exception is left. */
    private static int last(int depth) {
        kept = new byte[depth];
        return depth == 0 ? 0 : depth + last(depth - 1);
    }

    /** Defines a class. */
    private static final class Loader extends ClassLoader {
        private final byte[] file;

        Loader(byte[] file) {
            super(ExceptionLeft.class.getClassLoader());
            this.file = file;
        }

        Class<?> define() {
            return defineClass(Fresh.class.getName(), file, 0, file.length);
        }
    }

    /** The class. */
    static final class Fresh {
        static int born = 1;

        int method() {
            return born;
        }
    }
}
