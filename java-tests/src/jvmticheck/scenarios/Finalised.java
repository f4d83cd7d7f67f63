package jvmticheck.scenarios;

import java.lang.reflect.Method;
import java.util.concurrent.atomic.AtomicInteger;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Objects of a class whose finalizer does nothing until an agent redefines the class, and of one whose finalizer has always counted. */
public final class Finalised implements Scenario {
    /** How many collections to request; JVMs that obey need one or two. */
    private static final int ATTEMPTS = 50;
    private static final int OBJECTS = 100;
    private static final int MILLIS = 20;

    private static final AtomicInteger COUNTED = new AtomicInteger();
    private static final AtomicInteger OTHERS = new AtomicInteger();

    static volatile Object kept;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Idle.class);
        Class<?> idle = loader.initialised(Idle.class.getName());
        Probe.bind("class", idle);
        Probe.bind("file", new EditedClass(Counting.class).bytes());
        Probe.checkpoint("ready");
        COUNTED.set(0);
        OTHERS.set(0);
        for (int i = 0; i < OBJECTS; i++) {
            kept = new Counting();
            kept = idle.getDeclaredConstructor().newInstance();
        }
        kept = null;
        for (int attempt = 0; attempt < ATTEMPTS && (OTHERS.get() == 0 || COUNTED.get() == 0); attempt++) {
            System.gc();
            System.runFinalization();
            Thread.sleep(MILLIS);
        }
        Probe.fact("counted", COUNTED.get());
        Probe.fact("others", OTHERS.get());
        OTHERS.set(0);
        Method finalizer = idle.getDeclaredMethod("finalize");
        finalizer.setAccessible(true);
        finalizer.invoke(idle.getDeclaredConstructor().newInstance());
        Probe.fact("called", OTHERS.get());
        Probe.checkpoint("after");
    }

    /** What finalizers call. */
    public static void count(Object object) {
        (object instanceof Counting ? COUNTED : OTHERS).incrementAndGet();
    }

    /** The class that is redefined. */
    public static class Idle {
        public Idle() {
        }

        @Override
        protected void finalize() {
        }
    }

    /** What it is redefined as, under the other name. */
    public static class Counting {
        public Counting() {
        }

        @Override
        protected void finalize() {
            count(this);
        }
    }
}
