package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Synchronized native methods that call Java code, at the first call and after many calls. They are those of a class that is new in each run and has
 * the name of `CastNatives`, whose methods the agent's library implements.
 */
public final class SynchronizedUpcalls implements Scenario {
    /** Calls after which HotSpot compiles a native method. */
    private static final int MANY = 20_000;

    /** What calls the body from one of the native methods. */
    public interface Calling {
        void call(boolean onThis, Runnable body);
    }

    @Override
    public void run() throws Exception {
        byte[] file = new EditedClass(Bound.class).with(Bound.class.getName().replace('.', '/'), CastNatives.class.getName().replace('.', '/'))
                .bytes();
        Class<?> type = new FreshLoader(Bound.class).define(CastNatives.class.getName(), file);
        Calling calling = (Calling) type.getDeclaredConstructor().newInstance();
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", type);
        Probe.bind("object", calling);
        reach(calling, "once");
        Runnable nothing = new Runnable() {
            @Override
            public void run() {
            }
        };
        for (int call = 0; call < MANY; call++) {
            calling.call(false, nothing);
            calling.call(true, nothing);
        }
        Probe.fact("compiled", Probe.mayHaveCompiled(type, "call") && Probe.mayHaveCompiled(type, "callOnThis") ? 1 : 0);
        reach(calling, "often");
    }

    private static void reach(Calling calling, String name) {
        calling.call(false, new Reaching("of_class_" + name));
        Probe.checkpoint("of_class_" + name + "_after");
        calling.call(true, new Reaching("of_object_" + name));
        Probe.checkpoint("of_object_" + name + "_after");
    }

    /** Reaches the checkpoint. */
    private static final class Reaching implements Runnable {
        private final String name;

        Reaching(String name) {
            this.name = name;
        }

        @Override
        public void run() {
            Probe.checkpoint(name);
        }
    }

    /** The class, under another name. */
    public static final class Bound implements Calling {
        static synchronized native void call(Runnable body);

        synchronized native void callOnThis(Runnable body);

        public Bound() {
        }

        @Override
        public void call(boolean onThis, Runnable body) {
            if (onThis) {
                callOnThis(body);
            } else {
                call(body);
            }
        }
    }
}
