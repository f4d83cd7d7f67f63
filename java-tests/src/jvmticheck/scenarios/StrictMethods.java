package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods that are strict, which a class file of this version says with an access flag. */
public final class StrictMethods implements Scenario {
    @Override
    public void run() throws Exception {
        for (Method method : StrictMethods.class.getDeclaredMethods()) {
            if (method.getName().startsWith("strict")) {
                Probe.fact(method.getName(), method.getModifiers());
            }
        }
        Probe.checkpoint("ready");
    }

    static strictfp double strictStatic(double value) {
        return value * 3;
    }

    public final synchronized strictfp float strictFinal(float value) {
        return value / 3;
    }
}
