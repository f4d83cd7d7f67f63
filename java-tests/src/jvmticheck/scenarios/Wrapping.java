package jvmticheck.scenarios;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Native methods with prefixes, not linked before `ready`, and how the JVM links them afterwards. */
public final class Wrapping implements Scenario {
    @Override
    public void run() throws Exception {
        Class<?> type = new FreshLoader(Wrapped.class).initialised(Wrapped.class.getName());
        Probe.bind("class", type);
        Probe.checkpoint("ready");
        for (Method method : type.getDeclaredMethods()) {
            if (Modifier.isNative(method.getModifiers())) {
                Probe.fact(method.getName(), resultOf(method));
            }
        }
        Probe.checkpoint("called");
    }

    /** What the method returns, or -1 if it has no implementation. */
    static int resultOf(Method method) throws Exception {
        method.setAccessible(true);
        try {
            return (Integer) method.invoke(null);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof UnsatisfiedLinkError) {
                return -1;
            }
            throw e;
        }
    }
}
