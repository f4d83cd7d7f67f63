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

    private volatile int turns;
    private volatile boolean over;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Crossroads.class);
        Class<?> roads = loader.define(ROADS.replace('/', '.'), BulkClass.file(ROADS, "java/lang/Object", METHODS, true));
        String other = ROADS + "Other";
        Class<?> others = loader.define(other.replace('/', '.'), BulkClass.file(other, ROADS, METHODS, false));
        Object second = others.getConstructor().newInstance();
        Method walk = roads.getMethod("walk", roads);
        walk.invoke(null, roads.getConstructor().newInstance());
        Thread turning = Stage.daemon("turning", new Runnable() {
            @Override
            public void run() {
                while (!over && turns < TURNS) {
                    Probe.checkpoint("turn");
                    turns++;
                }
            }
        });
        turning.start();
        Probe.await("a turn", new Probe.Condition() {
            @Override
            public boolean holds() {
                return turns > 0;
            }
        });
        walk.invoke(null, second);
        over = true;
        turning.join();
        Probe.fact("walked", 1);
        Probe.checkpoint("after");
    }
}
