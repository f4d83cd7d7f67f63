package jvmticheck.scenarios;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The classes that the class library has made at run time, for method handles and lambda expressions: one after the other. */
public final class MadeClasses implements Scenario {
    @Override
    public void run() throws Exception {
        MethodType type = MethodType.methodType(String.class, Object.class, int.class);
        MethodHandle handle = MethodHandles.lookup().findStatic(MadeClasses.class, "join", type);
        MethodHandle bound = MethodHandles.insertArguments(handle, 0, new Object());
        MethodHandle cast = bound.asType(MethodType.methodType(Object.class, Integer.class));
        Runnable lambda = MadeClasses::use;
        try {
            Object result = cast.invokeExact((Integer) 7);
            lambda.run();
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        int made = 0;
        for (Class<?> loaded : Probe.loadedClasses()) {
            String name = loaded.getName();
            if (name.startsWith("java.lang.invoke.LambdaForm$") || name.contains("$$Lambda")) {
                Probe.bind("made", loaded);
                Probe.checkpoint("next");
                made++;
            }
        }
        Probe.fact("made", made);
        lambda.run();
        Probe.checkpoint("after");
    }

    private static String join(Object object, int number) {
        return "" + number;
    }

    private static void use() {
    }
}
