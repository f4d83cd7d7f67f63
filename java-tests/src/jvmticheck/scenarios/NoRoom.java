package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class with many methods, none of which has been called when the JVM has no more room for classes, as options can bring about. Then
 * the JVM has room again, and some of the methods are called often. If a case uses the checkpoint `hot`, calls in other classes are executed
 * often before, so that the JVM may want to compile them while it has no room.
 */
public final class NoRoom implements Scenario {
    private static final String PREFIX = "jvmticheck/scenarios/NoRoom$Made";
    private static final int METHODS = 1000;
    private static final int STEP = 111;
    private static final int CALLS = 1000;
    private static final int[] FILLER_METHODS = {100, 10, 0};
    /** More than a JVM that is told to have little room for classes has room for. */
    private static final int FILLERS = 4000;
    private static final int WALKS = 60;
    private static final int WALKED_METHODS = 100;
    private static final int RARELY = 150;
    private static final int OFTEN = 3000;

    private static volatile int answers;

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
        Probe.bind("scenario", NoRoom.class);
        Probe.fact("full", 0);
        Probe.checkpoint("made");
        List<Callable<Object>> walks = Probe.isUsed("hot") ? walks() : new ArrayList<Callable<Object>>();
        WeakReference<Object> fillers = fill(walks);
        Reclaimed.collect(fillers);
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

    /** What a callback may call. */
    static void answer() {
        answers++;
    }

    /** Calls of the method `walk` of many classes, which have been made so often that reflection needs no more room for them. */
    private static List<Callable<Object>> walks() throws Exception {
        List<Callable<Object>> walks = new ArrayList<Callable<Object>>();
        FreshLoader loader = new FreshLoader(NoRoom.class);
        for (int i = 0; i < WALKS; i++) {
            byte[] file = BulkClass.file(PREFIX + "W" + i, "java/lang/Object", WALKED_METHODS, true);
            final Object walker = loader.define(name("W" + i), file).getConstructor().newInstance();
            final Method walk = walker.getClass().getMethod("walk", walker.getClass());
            walks.add(new Callable<Object>() {
                @Override
                public Object call() throws Exception {
                    return walk.invoke(null, walker);
                }
            });
            repeat(walks.get(i), RARELY);
        }
        return walks;
    }

    private static void repeat(Callable<Object> walk, int times) throws Exception {
        for (int i = 0; i < times; i++) {
            walk.call();
        }
    }

    /** Makes classes until there is no more room, walks then, and makes one more; returns the loader of the classes. */
    private static WeakReference<Object> fill(List<Callable<Object>> walks) throws Exception {
        FreshLoader loader = new FreshLoader(NoRoom.class);
        boolean isPossible = Reclaimed.collect(loaded());
        int made = 0;
        for (int i = 0; i < FILLER_METHODS.length && isPossible; i++) {
            made = fill(loader, made, FILLER_METHODS[i]);
        }
        Probe.fact("full", isPossible && made < FILLERS ? 1 : 0);
        Probe.checkpoint("full");
        for (Callable<Object> walk : walks) {
            try {
                repeat(walk, OFTEN);
            } catch (Throwable none) {
                // Reflection may need room as well.
                continue;
            }
        }
        if (isPossible) {
            // Once more the JVM finds that there is no room, on this thread, even if it has compiled nothing.
            fill(loader, made, 0);
        }
        Probe.checkpoint("hot");
        return new WeakReference<Object>(loader);
    }

    /** A class loader with a class, which a JVM that has room again some time unloads. */
    private static WeakReference<Object> loaded() throws IOException {
        FreshLoader loader = new FreshLoader(NoRoom.class);
        loader.define(name("U"), file("U", 1));
        return new WeakReference<Object>(loader);
    }

    /** Makes classes with so many methods until there is no more room for one; returns how many have been tried. */
    private static int fill(FreshLoader loader, int made, int methods) throws IOException {
        for (int i = made; i < FILLERS; i++) {
            try {
                loader.define(name("F" + i), file("F" + i, methods));
            } catch (OutOfMemoryError none) {
                return i + 1;
            }
        }
        return FILLERS;
    }

    private static String name(String suffix) {
        return PREFIX.replace('/', '.') + suffix;
    }

    private static byte[] file(String suffix, int methods) throws IOException {
        return BulkClass.file(PREFIX + suffix, "java/lang/Object", methods, false);
    }
}
