package jvmticheck.scenarios;

import java.lang.management.ManagementFactory;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Queries the platform's MXBeans, which report what `-verbose:gc` and `-verbose:class` control, after each checkpoint. */
public final class VerboseOutput implements Scenario {
    @Override
    public void run() {
        state("before");
        Probe.checkpoint("on");
        state("on");
        Probe.checkpoint("off");
        state("off");
    }

    private static void state(String when) {
        Probe.fact("gc." + when, ManagementFactory.getMemoryMXBean().isVerbose() ? 1 : 0);
        Probe.fact("class." + when, ManagementFactory.getClassLoadingMXBean().isVerbose() ? 1 : 0);
    }
}
