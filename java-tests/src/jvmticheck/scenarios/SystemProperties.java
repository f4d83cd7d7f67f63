package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** What Java sees of the system properties, and one property that it sets itself. */
public final class SystemProperties implements Scenario {
    @Override
    public void run() {
        String[] names = {"java.vm.vendor", "java.vm.version", "java.vm.name", "java.vm.info", "java.library.path",
                "java.class.path", "jvmticheck.added", "jvmticheck.replaced", "jvmticheck.removed", "java.vm.name"};
        for (String name : names) {
            Probe.fact(name, System.getProperty(name, "absent"));
        }
        System.setProperty("jvmticheck.java", "of Java");
        Probe.checkpoint("set");
    }
}
