package jvmticheck.scenarios;

import java.util.concurrent.Callable;

import jvmticheck.Probe;

/** States what a call returns before an agent changes what it reaches, at once afterwards, and after many more calls. */
final class BeforeAndAfter {
    private BeforeAndAfter() {
    }

    /** The agent changes it at the checkpoint `ready`, before which so many calls have been made. */
    static void tell(Callable<?> call, int calls) throws Exception {
        Probe.fact("before", String.valueOf(call.call()));
        repeat(call, calls);
        Probe.checkpoint("ready");
        Probe.fact("after", String.valueOf(call.call()));
        repeat(call, calls);
        Probe.fact("later", String.valueOf(call.call()));
    }

    private static void repeat(Callable<?> call, int calls) throws Exception {
        for (int i = 0; i < calls; i++) {
            call.call();
        }
    }
}
