package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Does nothing but mark a moment in the live phase; states whether an option of JAVA_TOOL_OPTIONS had an effect. */
public final class Idle implements Scenario {
    @Override
    public void run() {
        Probe.fact("tool.options", System.getProperty("jvmticheck.tool") == null ? 0 : 1);
        Probe.checkpoint("idle");
    }
}
