package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** Virtual threads in frames of methods that have been called often before. JDK 21 and newer. */
public final class VirtualHotCast implements Scenario {
    @Override
    public void run() throws Exception {
        Part.warm();
        try (Cast cast = new VirtualCast.Threads("virtual_hot_")) {
            HotCast.gather(cast);
        }
    }
}
