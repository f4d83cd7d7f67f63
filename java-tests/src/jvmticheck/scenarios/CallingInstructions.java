package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Methods with one instruction each that leads to other code, which reaches a checkpoint: by calling it, or because a class has to be
 * initialised. They are called first and after many calls that reach none.
 */
public final class CallingInstructions implements Scenario {
    private static final int CALLS = 20_000;

    private static String checkpoint;

    @Override
    public void run() throws Exception {
        Callee callee = new Callee();
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        every(callee, "first_");
        for (int i = 0; i < CALLS; i++) {
            every(callee, null);
        }
        every(callee, "later_");
        FreshLoader loader = new FreshLoader(CallingInstructions.class);
        Class<?> initialising = loader.initialised(Initialising.class.getName());
        Probe.bind("initialising", initialising);
        initialising.getMethod("run").invoke(null);
        Probe.checkpoint("after");
    }

    private static void every(Callee callee, String prefix) {
        set(prefix, "static");
        byStatic();
        set(prefix, "virtual");
        byVirtual(callee);
        set(prefix, "interface");
        byInterface(callee);
        set(prefix, "private");
        callee.byPrivate();
        set(prefix, "super");
        callee.bySuper();
        set(prefix, "constructor");
        byConstructor();
        set(prefix, "wide");
        byWide(callee, 1, 2, 3);
    }

    private static void set(String prefix, String way) {
        checkpoint = prefix == null ? null : prefix + way;
    }

    /** Where all calls lead to. */
    public static void reach() {
        String name = checkpoint;
        if (name != null) {
            Probe.checkpoint(name);
        }
    }

    /** Its call is at 0. */
    static void byStatic() {
        reach();
    }

    /** Its call is at 1. */
    static void byVirtual(Base callee) {
        callee.overridden();
    }

    /** Its call is at 1, and five bytes long. */
    static void byInterface(Face callee) {
        callee.face();
    }

    /** Its call is at 4. */
    static void byConstructor() {
        new Made();
    }

    /** Its call is at 5. */
    static int byWide(Face callee, int first, long second, int third) {
        return callee.sum(first, second, third);
    }

    /** An interface with abstract methods. */
    interface Face {
        void face();

        int sum(int first, long second, int third);
    }

    /** A class with a method for its subclass. */
    static class Base {
        void overridden() {
        }

        void above() {
            reach();
        }
    }

    /** A class with methods that are called in all ways. */
    static final class Callee extends Base implements Face {
        @Override
        void overridden() {
            reach();
        }

        @Override
        void above() {
            throw new IllegalStateException();
        }

        @Override
        public void face() {
            reach();
        }

        @Override
        public int sum(int first, long second, int third) {
            reach();
            return first + (int) second + third;
        }

        private void hidden() {
            reach();
        }

        /** Its call is at 1. */
        void byPrivate() {
            hidden();
        }

        /** Its call is at 1. */
        void bySuper() {
            super.above();
        }
    }

    /** A class whose constructor reaches the checkpoint. */
    static final class Made {
        Made() {
            reach();
        }
    }

    /** Methods that cause a class to be initialised, new in each run. */
    public static final class Initialising {
        private Initialising() {
        }

        public static void run() {
            byNew();
            byRead();
            byWrite(1);
            byCall();
        }

        /** The instruction `new` is at 0. */
        static Object byNew() {
            return new OfNew();
        }

        /** The instruction is at 0. */
        static int byRead() {
            return OfRead.value;
        }

        /** The instruction is at 1. */
        static void byWrite(int value) {
            OfWrite.value = value;
        }

        /** The instruction is at 0. */
        static void byCall() {
            OfCall.nothing();
        }
    }

    /** A class that `new` initialises. */
    static final class OfNew {
        static {
            Probe.checkpoint("init_new");
        }
    }

    /** A class that reading a field initialises. */
    static final class OfRead {
        static int value = 1;

        static {
            Probe.checkpoint("init_read");
        }
    }

    /** A class that writing a field initialises. */
    static final class OfWrite {
        static int value = 1;

        static {
            Probe.checkpoint("init_write");
        }
    }

    /** A class that a call initialises. */
    static final class OfCall {
        static {
            Probe.checkpoint("init_call");
        }

        private OfCall() {
        }

        static void nothing() {
        }
    }
}
