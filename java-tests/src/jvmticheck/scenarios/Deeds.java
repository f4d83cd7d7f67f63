package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CountDownLatch;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Two threads that do the same, one after the other: everything that makes a JVM send events of a thread. */
public final class Deeds implements Scenario {
    static int field;
    static Object kept;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            Doer worker = new Doer(stage, "worker");
            Doer other = new Doer(stage, "other");
            Probe.checkpoint("before");
            worker.go();
            other.go();
            Probe.checkpoint("after");
        }
    }

    /** A thread, and what it does once it is told to. */
    private static final class Doer implements Runnable {
        private final CountDownLatch begin = new CountDownLatch(1);
        private final CountDownLatch done = new CountDownLatch(1);
        private final CountDownLatch end = new CountDownLatch(1);
        private final Object lock = new Object();
        private final Thread thread;
        private final OneClass fresh;

        Doer(Stage stage, String name) throws IOException {
            fresh = new OneClass(Fresh.class);
            thread = stage.start(stage.cast(name, this), Thread.State.WAITING, "park");
        }

        /** Makes the thread do its work and waits for its end. */
        void go() throws InterruptedException {
            synchronized (lock) {
                begin.countDown();
                Probe.await(thread, Thread.State.BLOCKED, "run");
            }
            done.await();
            end.countDown();
            thread.join();
        }

        @Override
        public void run() {
            try {
                begin.await();
                synchronized (lock) {
                    lock.wait(1);
                }
                deed(7, fresh);
                done.countDown();
                end.await();
            } catch (InterruptedException over) {
                // This is how the threads of a scenario that failed end.
            }
        }
    }

    /** A method at whose start a breakpoint may be: accesses, allocations, an exception, a class. */
    static void deed(int value, OneClass fresh) {
        field = field + value;
        kept = new int[64];
        kept = new Object[] {kept, kept.hashCode()};
        try {
            thrower();
        } catch (IllegalStateException caught) {
            kept = caught;
        }
        // The JVM itself creates what this returns.
        kept = fresh.define().getDeclaredMethods();
    }

    static void thrower() {
        throw new IllegalStateException("caught at once");
    }

    /** Defines one class, read in advance, because a thread that an agent steps through had better not read files. */
    private static final class OneClass extends ClassLoader {
        private final String name;
        private final byte[] bytes;

        OneClass(Class<?> type) throws IOException {
            super(type.getClassLoader());
            name = type.getName();
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                ByteArrayOutputStream read = new ByteArrayOutputStream();
                for (int b = in.read(); b >= 0; b = in.read()) {
                    read.write(b);
                }
                bytes = read.toByteArray();
            }
        }

        Class<?> define() {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    /** Each thread defines this class anew. */
    static final class Fresh {
        static int born = 1;

        int method() {
            return born;
        }
    }
}
