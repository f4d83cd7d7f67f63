package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A little of everything at once, for as many seconds as the property jvmticheck.stress says: platform and virtual
 * threads by the thousand, classes that are loaded and unloaded, exceptions, contention, collections. Where the machine has
 * little time for this JVM, it takes longer: until there have been some hundred platform threads.
 */
public final class Stress implements Scenario {
    private static final Object LOCK = new Object();
    private static final int AT_ONCE = 40;
    private static final int AT_LEAST = 12 * AT_ONCE;
    private static final int VIRTUAL_AT_ONCE = 400;

    private static final AtomicLong THREADS = new AtomicLong();
    private static final AtomicLong VIRTUAL = new AtomicLong();
    private static final AtomicLong CLASSES = new AtomicLong();
    private static volatile boolean over;
    private static int steps;

    @Override
    public void run() throws Exception {
        long nanos = TimeUnit.SECONDS.toNanos(Long.getLong("jvmticheck.stress", 1));
        Thread stepper = new Thread(Stress::stepping, "stepper");
        Probe.bind("stepper", stepper);
        stepper.start();
        Probe.checkpoint("ready");
        List<Thread> busy = new ArrayList<>();
        for (Runnable work : new Runnable[] {Stress::platform, Stress::virtual, Stress::classes, Stress::collections}) {
            Thread thread = new Thread(work);
            thread.start();
            busy.add(thread);
        }
        long begun = System.nanoTime();
        await(begun, nanos / 2);
        Probe.fact("memory.half", memory());
        await(begun, nanos);
        while (THREADS.get() < AT_LEAST) {
            pause();
        }
        over = true;
        for (Thread thread : busy) {
            thread.join();
        }
        stepper.join();
        Probe.fact("memory.end", memory());
        Probe.fact("threads", THREADS.get());
        Probe.fact("virtual", VIRTUAL.get());
        Probe.fact("classes", CLASSES.get());
    }

    private static void await(long begun, long nanos) throws InterruptedException {
        while (System.nanoTime() - begun < nanos) {
            Thread.sleep(10);
        }
    }

    /** The memory of the process that is not backed by files, in KiB; 0 if the system does not report it. */
    private static long memory() throws IOException {
        Path status = Paths.get("/proc/self/status");
        if (!Files.exists(status)) {
            return 0;
        }
        for (String line : Files.readAllLines(status, StandardCharsets.ISO_8859_1)) {
            if (line.startsWith("RssAnon:")) {
                return Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        return 0;
    }

    private static void stepping() {
        while (!over) {
            step();
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    static void step() {
        steps++;
    }

    /** What each thread does. */
    private static void work() {
        Object[] garbage = new Object[10];
        for (int i = 0; i < garbage.length; i++) {
            garbage[i] = new byte[1 << 10];
        }
        try {
            throw new IllegalStateException("thrown and caught");
        } catch (IllegalStateException caught) {
            garbage[0] = caught;
        }
        synchronized (LOCK) {
            try {
                LOCK.wait(0, 1);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            LOCK.notifyAll();
        }
    }

    private static void platform() {
        while (!over) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                Thread thread = new Thread(Stress::work);
                thread.start();
                threads.add(thread);
            }
            for (Thread thread : threads) {
                try {
                    thread.join();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            THREADS.addAndGet(AT_ONCE);
        }
    }

    private static void virtual() {
        Method start = startVirtualThread();
        if (start == null) {
            return;
        }
        do {
            CountDownLatch done = new CountDownLatch(VIRTUAL_AT_ONCE);
            for (int i = 0; i < VIRTUAL_AT_ONCE; i++) {
                try {
                    start.invoke(null, (Runnable) () -> {
                        work();
                        pause();
                        done.countDown();
                    });
                } catch (ReflectiveOperationException impossible) {
                    throw new IllegalStateException(impossible);
                }
            }
            try {
                done.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            VIRTUAL.addAndGet(VIRTUAL_AT_ONCE);
        } while (!over);
    }

    /** The method that starts a virtual thread, if there are virtual threads. */
    private static Method startVirtualThread() {
        try {
            Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
            start.invoke(null, (Runnable) () -> { });
            return start;
        } catch (ReflectiveOperationException | UnsupportedOperationException none) {
            return null;
        }
    }

    private static void classes() {
        String name = Loaded.class.getName();
        do {
            try {
                new FreshLoader(Loaded.class).initialised(name).getDeclaredConstructor().newInstance();
            } catch (ReflectiveOperationException impossible) {
                throw new IllegalStateException(impossible);
            }
            CLASSES.incrementAndGet();
            pause();
        } while (!over);
    }

    private static void collections() {
        while (!over) {
            System.gc();
            for (int i = 0; i < 100 && !over; i++) {
                pause();
            }
        }
    }

    /** A class that is loaded again and again. */
    public static final class Loaded {
        private final int number;

        /** Called by reflection. */
        public Loaded() {
            number = 1;
        }

        @Override
        public int hashCode() {
            return number;
        }
    }
}
