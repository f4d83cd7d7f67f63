package jvmticheck.scenarios;

import java.lang.reflect.Method;
import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that needs a class by one instruction, while another one initialises the class. The instruction is in an interface with one static
 * method, which nothing has called before.
 */
public class AwaitedInitialiser extends OnPlatformThreads implements Scenario {
    /** How long the initialisation goes on once the thread is about to need the class, unless that is seen to wait. */
    private static final long DURATION = TimeUnit.MILLISECONDS.toNanos(50);

    private static volatile boolean isBegun;
    /** The thread, when it is about to need the class. */
    private static volatile Thread needy;

    @Override
    public final void run() throws Exception {
        need("call", SlowCaller.class);
        need("read", SlowReader.class);
        need("write", SlowWriter.class);
        need("make", SlowMaker.class);
    }

    private void need(final String way, Class<?> user) throws Exception {
        if (!Probe.isUsed(way)) {
            return;
        }
        isBegun = false;
        needy = null;
        final FreshLoader loader = new FreshLoader(Slow.class);
        final Method use = loader.initialised(user.getName()).getMethod("use");
        Probe.bind("user", use.getDeclaringClass());
        try (Stage stage = new Stage()) {
            Thread first = stage.cast("first", loader.initialisation(Slow.class.getName()));
            Thread second = stage.keep(create("second", new Runnable() {
                @Override
                public void run() {
                    while (!isBegun) {
                        Thread.yield();
                    }
                    Probe.checkpoint(way);
                    needy = Thread.currentThread();
                    try {
                        use.invoke(null);
                    } catch (ReflectiveOperationException e) {
                        throw new IllegalStateException(e);
                    }
                    Probe.checkpoint(way + "_after");
                }
            }));
            second.start();
            first.start();
            first.join();
            second.join();
        }
    }

    /** For the class initialiser to call. */
    public static void linger() {
        isBegun = true;
        while (needy == null) {
            Thread.yield();
        }
        Initialising.awaitWaiting(needy, DURATION);
    }

    /** What both threads need. */
    public static class Slow {
        static int value;

        static {
            AwaitedInitialiser.linger();
        }

        static void touch() {
        }
    }

    /** Calls a static method. */
    public interface SlowCaller {
        static void use() {
            Slow.touch();
        }
    }

    /** Reads a static field. */
    public interface SlowReader {
        static int use() {
            return Slow.value;
        }
    }

    /** Writes a static field. */
    public interface SlowWriter {
        static void use() {
            Slow.value = 3;
        }
    }

    /** Makes an instance. */
    public interface SlowMaker {
        static Object use() {
            return new Slow();
        }
    }
}
