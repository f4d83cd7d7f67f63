package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods that read or write a static field, and so initialise its class, which is new in each run; the initialiser reaches a checkpoint. */
public final class InitialisedFields implements Scenario {
    /** What accesses the field. */
    public interface Accessing {
        int access(boolean really);
    }

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        access("read", new FreshLoader(Read.class), Read.class, ReadAccess.class);
        access("written", new FreshLoader(Written.class), Written.class, WrittenAccess.class);
    }

    /** The class that accesses the field has a name that begins with that of the other one, so that the same loader defines it. */
    private static void access(String name, FreshLoader loader, Class<?> type, Class<?> accessing) throws Exception {
        Probe.bind(name + "_class", loader.loadClass(type.getName()));
        Accessing access = (Accessing) loader.made(accessing);
        access.access(false);
        Probe.fact(name + ".result", access.access(true));
        Probe.checkpoint(name + "_after");
    }

    /** The class whose field is read. */
    public static class Read {
        static int field = 7;

        static {
            Probe.checkpoint("read");
        }
    }

    /** Reads it. */
    public static class ReadAccess implements Accessing {
        @Override
        public int access(boolean really) {
            return really ? Read.field : 0;
        }
    }

    /** The class whose field is written. */
    public static class Written {
        static int field;

        static {
            Probe.checkpoint("written");
        }
    }

    /** Writes it. */
    public static class WrittenAccess implements Accessing {
        @Override
        public int access(boolean really) {
            if (really) {
                Written.field = 7;
            }
            return 7;
        }
    }
}
