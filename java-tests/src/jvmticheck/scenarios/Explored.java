package jvmticheck.scenarios;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * What `jvmti-check explore` calls functions on: threads in every state, classes, objects and monitors. Its static methods are
 * the actions that sequences take between calls, through JNI. Whatever a sequence has done to the threads, `repair` undoes.
 */
public final class Explored implements Scenario {
    /**
     * Repairs since the last garbage collection after which another one is due. HotSpot forgets environments that have been disposed of
     * in these only, and asks each of them at each method exit.
     */
    private static final int MANY = 30;
    /** How long a thread rests, in nanoseconds, before it looks again for what another one does. */
    static final long REST = 100000;
    /** The same for one that others are waiting for the processor with. */
    private static final long LONG_REST = 5 * REST;
    private static final Object LOCK = new Object();
    private static final Object MONITOR = new Object();
    private static final Object OWN = new Object();
    private static final List<Role> ROLES = new ArrayList<Role>();
    private static Explored instance;
    private static int repairs;
    /** Refers to nothing any more once there was a garbage collection. */
    private static WeakReference<Object> garbage = new WeakReference<Object>(new Object());
    /** Whether `rouse` is at work. */
    private static volatile boolean rousing;
    static Object sink;

    static int counter = 1;
    int number = 2;
    Object object = "three";

    @Override
    public void run() throws Exception {
        instance = this;
        CastNatives.close();
        bindObjects();
        ROLES.clear();
        add("", false);
        if (virtualThreads()) {
            add("virtual_", true);
        }
        synchronized (LOCK) {
            for (Role role : ROLES) {
                role.begin();
            }
            ready(1, 2L, 3f, 4.0, "five");
        }
        CastNatives.open();
        for (Role role : ROLES) {
            role.end();
        }
    }

    /** The frame that marks the checkpoint: a variable of each type, in slots 0, 1, 3, 4 and 6. */
    static void ready(int i, long l, float f, double d, Object o) {
        Probe.checkpoint("ready");
    }

    private void bindObjects() throws Exception {
        // Its loader has it before another one defines it, too, and `load` prepares no class besides.
        sink = new FreshLoader(Loaded.class);
        Probe.bind("main", Thread.currentThread());
        Probe.bind("object", new Object());
        Probe.bind("instance", this);
        Probe.bind("string", "a string");
        Probe.bind("throwable", new Exception("thrown by StopThread"));
        Probe.bind("array", new int[] {1, 2, 3});
        Probe.bind("lock", LOCK);
        Probe.bind("monitor", MONITOR);
        Probe.bind("int_class", int.class);
        Probe.bind("loader", Explored.class.getClassLoader());
        Probe.bind("group", new ThreadGroup("group"));
        Probe.bind("explored_file", ClassFile.read(Explored.class));
        Probe.bind("loop_file", ClassFile.read(Loop.class));
        Probe.bind("target_file", ClassFile.read(Target.class));
        target();
        Crowd.bind(virtualThreads());
        bindModules();
    }

    /** A module of its own, the one of `Object` and an unnamed one, where there are modules. */
    private static void bindModules() throws Exception {
        Class<?> modules;
        try {
            modules = Class.forName("java.lang.Module");
        } catch (ClassNotFoundException e) {
            return;
        }
        java.lang.reflect.Method moduleOf = Class.class.getMethod("getModule");
        Probe.bind("base", modules.cast(moduleOf.invoke(Object.class)));
        Probe.bind("unnamed", modules.cast(moduleOf.invoke(Explored.class)));
        Probe.bind("module", new NamedModule().module);
    }

    private static boolean virtualThreads() {
        try {
            return Virtual.thread("none", new Loop(new Role("none", true, Role.Kind.FRESH))) != null;
        } catch (ReflectiveOperationException e) {
            return false;
        }
    }

    private static void add(String prefix, boolean virtual) {
        for (Role.Kind kind : Role.Kind.values()) {
            ROLES.add(new Role(prefix + kind.name().toLowerCase(java.util.Locale.ROOT), virtual, kind));
        }
    }

    /** What the thread of a part executes: it comes back to its state, whatever wakes it. */
    static final class Loop implements Runnable {
        private final Role role;
        volatile boolean over;
        /** How often the thread was woken before it was about to enter its state; `NOWHERE` while it is on its way. */
        volatile int standing = Role.NOWHERE;
        private long counted;

        Loop(Role role) {
            this.role = role;
        }

        @Override
        public void run() {
            while (!over && role.kind != Role.Kind.ENDED) {
                role.woken++;
                try {
                    stand();
                } catch (InterruptedException again) {
                    // It comes back to its state.
                } catch (Exception stopped) {
                    // So it does here, mostly: another thread costs as much as a hundred calls.
                    if (++role.stopped % Role.LIVES == 0) {
                        throw Explored.<RuntimeException>unchecked(stopped);
                    }
                }
                standing = Role.NOWHERE;
                Thread.interrupted();
                // Nothing keeps it meanwhile: it would take the processor from those that are still to be roused.
                while (rousing && role.woken != role.before) {
                    LockSupport.parkNanos(LONG_REST);
                }
                role.due = false;
                if (role.kind == Role.Kind.PARKED) {
                    // If it was both interrupted and unparked, it would go on once more.
                    LockSupport.parkNanos(1);
                }
            }
        }

        private void stand() throws InterruptedException {
            standing = role.woken;
            switch (role.kind) {
                case PARKED:
                    LockSupport.park(this);
                    break;
                case SLEEPING:
                    Thread.sleep(TimeUnit.DAYS.toMillis(1));
                    break;
                case WAITING:
                    synchronized (MONITOR) {
                        MONITOR.wait();
                    }
                    break;
                case BLOCKED:
                    enter();
                    break;
                case IN_NATIVE:
                    CastNatives.stay();
                    break;
                default:
                    Thread.yield();
            }
        }

        /** Enters in a method of another type each time, so that each kind of early return has one that it suits. */
        private void enter() {
            switch (role.woken % 6) {
                case 0:
                    sink = enterObject();
                    break;
                case 1:
                    counted += enterInt();
                    break;
                case 2:
                    counted += enterLong();
                    break;
                case 3:
                    counted += (long) enterFloat();
                    break;
                case 4:
                    counted += (long) enterDouble();
                    break;
                default:
                    enterVoid();
            }
        }

        private static Object enterObject() {
            synchronized (LOCK) {
                return entered() ? LOCK : null;
            }
        }

        private static int enterInt() {
            synchronized (LOCK) {
                return entered() ? 1 : 0;
            }
        }

        private static long enterLong() {
            synchronized (LOCK) {
                return entered() ? 1 : 0;
            }
        }

        private static float enterFloat() {
            synchronized (LOCK) {
                return entered() ? 1 : 0;
            }
        }

        private static double enterDouble() {
            synchronized (LOCK) {
                return entered() ? 1 : 0;
            }
        }

        private static void enterVoid() {
            synchronized (LOCK) {
                entered();
            }
        }

        private static boolean entered() {
            if (rousing) {
                LOCK.notifyAll();
            }
            return rousing;
        }
    }

    /** Lets each thread go on for a moment, so that what was asked of it comes to it now, and not in another sequence. */
    static void rouse() throws Exception {
        Thread.interrupted();
        for (Role role : ROLES) {
            role.before = role.woken;
        }
        rousing = true;
        CastNatives.open();
        interrupt();
        long start = System.nanoTime();
        do {
            // Those that are blocked can enter meanwhile.
            LOCK.wait(1);
        } while (!areRoused() && System.nanoTime() - start < Role.START_PATIENCE);
        CastNatives.close();
        rousing = false;
    }

    /** Lets Java take an exception for one that need not be declared. */
    @SuppressWarnings("unchecked")
    private static <T extends Throwable> T unchecked(Throwable thrown) throws T {
        throw (T) thrown;
    }

    private static boolean areRoused() {
        for (Role role : ROLES) {
            if (role.isAlive() && role.woken == role.before) {
                return false;
            }
        }
        return true;
    }

    /** Brings each thread back to its state, or another one in its place. */
    static void repair() throws Exception {
        Thread.interrupted();
        for (Role role : ROLES) {
            role.repair();
        }
        Crowd.hire();
        if (++repairs >= MANY) {
            System.gc();
        }
        if (garbage.get() == null) {
            garbage = new WeakReference<Object>(new Object());
            repairs = 0;
        }
    }

    /** Waits for the ends of the agent threads. */
    static void gather() throws Exception {
        Crowd.gather();
    }

    /** Starts the threads that do everything, for a while. */
    static void stir() throws Exception {
        Crowd.stir(virtualThreads());
    }

    /** Has these threads end, as far as they still can. */
    static void still() throws Exception {
        Crowd.still();
    }

    /** Writes and reads a field of the instance, then a static one. */
    static void fields() {
        Explored explored = instance;
        explored.number = 7;
        sink = explored.number == 7 ? explored : null;
        counter = 8;
        sink = counter == 8 ? explored : null;
    }

    /** Calls `twice`. */
    static void call() {
        sink = twice(21) == 42 ? sink : null;
    }

    static int twice(int number) {
        int result = number * 2;
        return result;
    }

    /** A class that sequences redefine. */
    static final class Target {
        int kept;
        static int other;

        static int answer(int number) {
            return number * 2;
        }

        static void spare() {
            other++;
        }

        static int loop(int times) {
            int sum = 0;
            for (int i = 0; i < times; i++) {
                sum += answer(i);
            }
            return sum;
        }
    }

    /** Calls the methods of the class that sequences redefine. */
    static void target() {
        Target target = new Target();
        target.kept = Target.loop(20);
        sink = target.kept == 0 ? null : target;
        Target.spare();
    }

    /** Throws an exception and catches it. */
    static void fling() {
        try {
            thrower();
        } catch (IllegalStateException caught) {
            sink = caught;
        }
    }

    private static void thrower() {
        throw new IllegalStateException("flung");
    }

    /** Starts a thread and waits for its end. */
    static void start() throws Exception {
        Thread thread = new Part.Actor("brief", new Part(new Loop(new Role("brief", false, Role.Kind.ENDED))));
        thread.start();
        thread.join();
    }

    /** Loads a class, which a loader of its own defines. */
    static void load() throws Exception {
        sink = new FreshLoader(Loaded.class).initialised(Loaded.class.getName());
    }

    /** A class that `load` loads. */
    static final class Loaded {
    }

    /** Allocates arrays that nobody keeps. */
    static void allocate() {
        for (int i = 0; i < 64; i++) {
            sink = new long[i];
        }
        sink = null;
    }

    /** Asks for a garbage collection. */
    static void collect() {
        System.gc();
    }

    /** Asks for more memory than the heap may have. */
    static void exhaust() {
        int most = (int) Math.min(Integer.MAX_VALUE - 8, Runtime.getRuntime().maxMemory() / 8 + 1);
        List<long[]> kept = new ArrayList<long[]>();
        try {
            while (true) {
                kept.add(new long[most]);
            }
        } catch (OutOfMemoryError exhausted) {
            sink = exhausted;
        }
    }

    /** Waits on a monitor for a moment. */
    static void pause() throws Exception {
        synchronized (OWN) {
            OWN.wait(1);
        }
    }

    /** Wakes the threads that park or wait. */
    static void wake() {
        for (Role role : ROLES) {
            role.due = role.kind == Role.Kind.PARKED || role.kind == Role.Kind.WAITING;
            if (role.kind == Role.Kind.PARKED) {
                LockSupport.unpark(role.thread);
            }
        }
        synchronized (MONITOR) {
            MONITOR.notifyAll();
        }
    }

    /** Interrupts the threads that park, sleep or wait. */
    static void interrupt() {
        for (Role role : ROLES) {
            if (role.kind.isWakeable()) {
                role.thread.interrupt();
            }
        }
    }
}
