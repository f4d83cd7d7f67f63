package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that spins until `Thread.suspend`, which exists in releases up to 19, suspends it. */
public final class SuspendedByJava implements Scenario {
    @Override
    public void run() throws Exception {
        // By name, because later releases may not have the method.
        Method suspend = Thread.class.getMethod("suspend");
        Method resume = Thread.class.getMethod("resume");
        try (Stage stage = new Stage()) {
            Thread suspended = stage.startSpinning(stage.cast("suspended", stage.bodies.spin()));
            suspend.invoke(suspended);
            try {
                Probe.checkpoint("suspended");
            } finally {
                resume.invoke(suspended);
            }
        }
    }
}
