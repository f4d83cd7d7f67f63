package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Calls of 8000 methods, which are executed with a receiver of another class than before, in code that the JVM has compiled when it was
 * executed first, as options can bring about. Meanwhile another thread reaches the checkpoint `turn` over and over.
 */
public final class Crossroads implements Scenario {
    private static final String ROADS = "jvmticheck/scenarios/Crossroads$Roads";
    private static final int METHODS = 8000;
    private static final int TURNS = 60_000;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Crossroads.class);
        Class<?> roads = loader.define(ROADS.replace('/', '.'), BulkClass.file(ROADS, "java/lang/Object", METHODS, true));
        String other = ROADS + "Other";
        Class<?> others = loader.define(other.replace('/', '.'), BulkClass.file(other, ROADS, METHODS, false));
        Object second = others.getConstructor().newInstance();
        Method walk = roads.getMethod("walk", roads);
        walk.invoke(null, roads.getConstructor().newInstance());
        try (Turning turning = new Turning(TURNS).start()) {
            turning.awaitTurn();
            walk.invoke(null, second);
        }
        Probe.fact("walked", 1);
        Probe.checkpoint("after");
    }
}
