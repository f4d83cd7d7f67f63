package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Creates virtual threads, by reflection because this code is compiled for JDK 8. */
public final class Virtual {
    static {
        // Threads that spin or are pinned each keep a carrier; with one carrier per processor the others might never run.
        if (System.getProperty("jdk.virtualThreadScheduler.parallelism") == null) {
            System.setProperty("jdk.virtualThreadScheduler.parallelism", "32");
        }
    }

    /** `Thread.ofVirtual`, once looked up: to look it up takes longer than to make a thread. */
    private static Method factory;
    private static Method naming;
    private static volatile Method unstarted;

    private Virtual() {
    }

    /** `Thread.ofVirtual().name(name).unstarted(body)`. */
    static Thread thread(String name, Runnable body) throws ReflectiveOperationException {
        if (unstarted == null) {
            factory = Thread.class.getMethod("ofVirtual");
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            naming = type.getMethod("name", String.class);
            unstarted = type.getMethod("unstarted", Runnable.class);
        }
        return (Thread) unstarted.invoke(naming.invoke(factory.invoke(null), name), body);
    }

    /** Runs a scenario on a virtual thread, which is bound to that name, and waits for its end. */
    public static void run(String name, final Scenario scenario) throws Exception {
        final Throwable[] failure = new Throwable[1];
        Thread thread = thread(name, new Runnable() {
            @Override
            public void run() {
                try {
                    scenario.run();
                } catch (Throwable thrown) {
                    failure[0] = thrown;
                }
            }
        });
        Probe.bind(name, thread);
        thread.start();
        thread.join();
        if (failure[0] != null) {
            throw new IllegalStateException(failure[0]);
        }
    }
}
