package jvmticheck.scenarios;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class that has no information about its source: one that the JDK generates at run time. */
public final class Stripped implements Scenario {
    @Override
    public void run() {
        InvocationHandler handler = new InvocationHandler() {
            @Override
            public Object invoke(Object proxy, Method method, Object[] args) {
                return null;
            }
        };
        Object proxy = Proxy.newProxyInstance(Stripped.class.getClassLoader(), new Class<?>[] {Runnable.class}, handler);
        Probe.bind("stripped", proxy.getClass());
        Probe.checkpoint("ready");
    }
}
