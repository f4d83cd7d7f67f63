package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class with many methods, none of which has been called when the JVM has no more room for classes, as options can bring about. Then
 * the JVM has room again, and some of the methods are called often.
 */
public final class NoRoom implements Scenario {
    private static final String PREFIX = "jvmticheck/scenarios/NoRoom$Made";
    private static final int METHODS = 1000;
    private static final int STEP = 111;
    private static final int CALLS = 1000;
    private static final int[] FILLER_METHODS = {100, 10, 0};
    /** More than a JVM that is told to have little room for classes has room for. */
    private static final int FILLERS = 4000;
    private static final int ATTEMPTS = 20;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(NoRoom.class);
        Class<?> type = loader.define(name(""), file("", METHODS));
        Object instance = type.getConstructor().newInstance();
        Method[] methods = new Method[METHODS / STEP + 1];
        for (int i = 0; i < methods.length; i++) {
            methods[i] = type.getMethod("m" + i * STEP);
        }
        Probe.bind("class", type);
        Probe.fact("full", 0);
        Probe.checkpoint("made");
        WeakReference<Object> fillers = fill();
        for (int i = 0; i < ATTEMPTS && fillers.get() != null; i++) {
            System.gc();
        }
        Probe.checkpoint("room");
        int called = 0;
        for (Method method : methods) {
            for (int i = 0; i < CALLS; i++) {
                method.invoke(instance);
                called++;
            }
        }
        Probe.fact("called", called);
        Probe.checkpoint("after");
    }

    /** Makes classes until there is no more room; returns their loader. */
    private static WeakReference<Object> fill() throws IOException {
        FreshLoader loader = new FreshLoader(NoRoom.class);
        int made = 0;
        for (int methods : FILLER_METHODS) {
            try {
                while (made < FILLERS) {
                    loader.define(name("F" + made), file("F" + made, methods));
                    made++;
                }
            } catch (OutOfMemoryError none) {
                made++;
                Probe.fact("full", methods == 0 ? 1 : 0);
            }
        }
        Probe.checkpoint("full");
        return new WeakReference<Object>(loader);
    }

    private static String name(String suffix) {
        return PREFIX.replace('/', '.') + suffix;
    }

    private static byte[] file(String suffix, int methods) throws IOException {
        return BulkClass.file(PREFIX + suffix, "java/lang/Object", methods, false);
    }
}
