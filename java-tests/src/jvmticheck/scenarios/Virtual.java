package jvmticheck.scenarios;

import java.lang.reflect.Method;

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
    public static Thread thread(String name, Runnable body) throws ReflectiveOperationException {
        if (unstarted == null) {
            factory = Thread.class.getMethod("ofVirtual");
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            naming = type.getMethod("name", String.class);
            unstarted = type.getMethod("unstarted", Runnable.class);
        }
        return (Thread) unstarted.invoke(naming.invoke(factory.invoke(null), name), body);
    }
}
