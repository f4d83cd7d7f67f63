package jvmticheck.scenarios;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Classes of the platform that a JVM treats in special ways, each bound by its simple name, with its class file by the name with `_file`.
 * The main thread uses what they do before and afterwards, and other threads are inside their methods meanwhile.
 */
public class PlatformClasses extends OnPlatformThreads implements Scenario {
    private static final String[] NAMES = {
        "java.lang.Object", "java.lang.Class", "java.lang.String", "java.lang.Thread", "java.lang.ThreadGroup", "java.lang.System",
        "java.lang.Throwable", "java.lang.StackTraceElement", "java.lang.Integer", "java.lang.Math", "java.lang.StringBuilder",
        "java.lang.ClassLoader", "java.lang.ref.Reference", "java.lang.ref.Finalizer", "java.lang.reflect.Method", "java.lang.reflect.Array",
        "java.lang.invoke.MethodHandle", "java.lang.invoke.MethodType", "java.lang.invoke.LambdaForm", "java.lang.invoke.MemberName",
        "java.lang.invoke.MethodHandleNatives", "java.lang.invoke.DirectMethodHandle", "java.lang.invoke.VarHandle",
        "java.util.concurrent.locks.LockSupport", "java.util.concurrent.atomic.AtomicInteger", "java.security.AccessController",
        "jdk.internal.misc.Unsafe", "java.lang.VirtualThread", "java.lang.BaseVirtualThread",
        "jdk.internal.vm.StackChunk", "jdk.internal.misc.CarrierThread",
    };

    /** Calls that a JVM is likely to compile what they reach for. */
    private static final int CALLS = 3000;

    @Override
    public void run() throws Exception {
        boolean resources = true;
        for (String name : NAMES) {
            String simple = name.substring(name.lastIndexOf('.') + 1);
            if (Probe.isUsed(simple)) {
                Class<?> type = Class.forName(name, false, null);
                Probe.bind(simple, type);
                if (Probe.isUsed(simple + "_file")) {
                    ClassFile file = new ClassFile(type);
                    Probe.bind(simple + "_file", file.bytes);
                    resources &= hasMethods(type, file);
                }
            }
        }
        Probe.fact("resources", resources ? 1 : 0);
        Uses own = new Uses();
        try (Company company = new Company(this)) {
            String before = "";
            for (int i = 0; i < CALLS; i++) {
                before = own.work();
            }
            company.arrive();
            Probe.fact("before", before);
            Probe.checkpoint("ready");
            Probe.fact("after", own.work());
            company.leave();
        }
        Probe.fact("later", own.work());
        Probe.checkpoint("after");
    }

    /** Whether reflection finds as many methods and constructors as the class file has. */
    private static boolean hasMethods(Class<?> type, ClassFile file) {
        int count = 0;
        for (ClassFile.Member member : file.declared) {
            count += member.name.equals("<clinit>") ? 0 : 1;
        }
        return count == type.getDeclaredMethods().length + type.getDeclaredConstructors().length;
    }

    /** Threads that wait in methods of the platform. */
    private static final class Company implements AutoCloseable {
        private final Object lock = new Object();
        private final CountDownLatch latch = new CountDownLatch(1);
        private final ReentrantLock held = new ReentrantLock();
        private final Thread[] threads;
        private final AtomicInteger left = new AtomicInteger();
        private volatile boolean over;

        Company(OnPlatformThreads maker) throws Exception {
            threads = new Thread[] {
                maker.create("waiting", this::waitOnLock), maker.create("parked", this::park), maker.create("latched", this::latch),
                maker.create("locking", this::lock), maker.create("yielding", this::yield),
            };
        }

        void arrive() {
            held.lock();
            for (Thread thread : threads) {
                thread.start();
            }
            for (Thread thread : Arrays.copyOf(threads, threads.length - 1)) {
                Probe.await(thread, Thread.State.WAITING);
            }
        }

        void leave() throws InterruptedException {
            close();
            for (Thread thread : threads) {
                thread.join();
            }
            Probe.fact("left", left.get());
        }

        @Override
        public void close() {
            over = true;
            latch.countDown();
            if (held.isHeldByCurrentThread()) {
                held.unlock();
            }
            synchronized (lock) {
                lock.notifyAll();
            }
            LockSupport.unpark(threads[1]);
        }

        private void waitOnLock() {
            synchronized (lock) {
                while (!over) {
                    try {
                        lock.wait();
                    } catch (InterruptedException nobody) {
                        return;
                    }
                }
            }
            left.incrementAndGet();
        }

        private void park() {
            while (!over) {
                LockSupport.park(this);
            }
            left.incrementAndGet();
        }

        private void latch() {
            try {
                latch.await();
                left.incrementAndGet();
            } catch (InterruptedException nobody) {
                over = true;
            }
        }

        private void lock() {
            held.lock();
            try {
                left.incrementAndGet();
            } finally {
                held.unlock();
            }
        }

        private void yield() {
            while (!over) {
                Thread.yield();
            }
            left.incrementAndGet();
        }
    }

    /** Uses the classes. */
    private static final class Uses implements Cloneable {
        private final MethodHandle handle;
        private final Callable<Integer> expression = () -> 4;
        private final ThreadLocal<Integer> local = new ThreadLocal<Integer>();

        Uses() throws ReflectiveOperationException {
            handle = MethodHandles.lookup().findVirtual(Uses.class, "three", MethodType.methodType(int.class));
        }

        int three() {
            return 3;
        }

        /** The results, one after the other. */
        String work() throws Exception {
            StringBuilder results = new StringBuilder();
            results.append(objects()).append(' ').append(texts()).append(' ').append(calls()).append(' ').append(threads());
            return results.append(' ').append(failures()).toString();
        }

        private String objects() throws Exception {
            Object one = new Object();
            Uses copy = (Uses) clone();
            int[] numbers = {1, 2, 3};
            int[] moved = numbers.clone();
            System.arraycopy(numbers, 0, moved, 1, 2);
            WeakReference<Object> weak = new WeakReference<Object>(one);
            boolean kept = weak.get() == one && one.hashCode() == System.identityHashCode(one) && one.equals(one) && copy.three() == 3;
            return kept + "," + moved[2] + "," + Array.getLength(Array.newInstance(int.class, 5)) + "," + new Object[2].getClass().getName();
        }

        private String texts() throws Exception {
            Map<String, Integer> map = new HashMap<String, Integer>();
            map.put("a" + map.size(), Integer.bitCount(7));
            return map + "," + "a0".indexOf('0') + "," + Math.sqrt(Math.max(4, 1)) + "," + ("x" + 1).intern().length() + ","
                    + Class.forName("java.lang.Object").getSimpleName() + "," + String.class.isInstance("") + "," + Integer.valueOf(5);
        }

        private String calls() throws Exception {
            try {
                return (int) handle.invokeExact(this) + "," + expression.call() + "," + Uses.class.getDeclaredMethod("three").invoke(this);
            } catch (Throwable thrown) {
                throw new Exception(thrown);
            }
        }

        private String threads() {
            local.set(6);
            AtomicInteger number = new AtomicInteger(1);
            synchronized (this) {
                notifyAll();
                number.compareAndSet(1, 7);
            }
            LockSupport.unpark(Thread.currentThread());
            LockSupport.park();
            return local.get() + "," + number + "," + Thread.currentThread().isInterrupted() + "," + Thread.holdsLock(this);
        }

        private String failures() {
            try {
                return (String) (Object) Integer.valueOf(1);
            } catch (ClassCastException failed) {
                // A JVM may leave out frames, and those of exceptions that compiled code throws.
                StackTraceElement[] trace = failed.getStackTrace();
                return "cast," + (trace.length == 0 || trace[0].getMethodName().equals("failures"));
            }
        }
    }
}
