package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** States whether the module java.base reads the unnamed module of the application loader. JDK 9 and newer. */
public final class BaseReads implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.checkpoint("before");
        Method moduleOf = Class.class.getMethod("getModule");
        Object base = moduleOf.invoke(Object.class);
        Object unnamed = ClassLoader.class.getMethod("getUnnamedModule").invoke(ClassLoader.getSystemClassLoader());
        Probe.fact("reads", String.valueOf(base.getClass().getMethod("canRead", base.getClass()).invoke(base, unnamed)));
        Probe.checkpoint("after");
    }
}
