package jvmticheck.scenarios;

import java.lang.reflect.Method;

/** Creates virtual threads, by reflection because this code is compiled for JDK 8. */
final class Virtual {
    static {
        // Threads that spin or are pinned each keep a carrier; with one carrier per processor the others might never run.
        if (System.getProperty("jdk.virtualThreadScheduler.parallelism") == null) {
            System.setProperty("jdk.virtualThreadScheduler.parallelism", "32");
        }
    }

    private Virtual() {
    }

    /** `Thread.ofVirtual().name(name).unstarted(body)`. */
    static Thread thread(String name, Runnable body) throws ReflectiveOperationException {
        Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
        Class<?> type = Class.forName("java.lang.Thread$Builder");
        Method naming = type.getMethod("name", String.class);
        Method unstarted = type.getMethod("unstarted", Runnable.class);
        return (Thread) unstarted.invoke(naming.invoke(builder, name), body);
    }
}
