package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Frames that a return or an exception leaves. At `inside` the checkpoint's caller is `inner`, called by `middle`,
 * `outer` and `run`; at `failing` it is `fail`, called by `pass` and by `run`, which catches the exception.
 */
public final class FramePops implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", FramePops.class);
        Probe.checkpoint("before");
        int result = outer(1);
        Probe.checkpoint("returned");
        try {
            pass();
        } catch (IllegalStateException thrown) {
            result++;
        }
        Probe.checkpoint("after");
        Probe.fact("result", result);
    }

    static int outer(int argument) {
        return middle(argument + 1) + 1;
    }

    static int middle(int argument) {
        int result = inner(argument + 1);
        Probe.checkpoint("inner_left");
        return result + 1;
    }

    static int inner(int argument) {
        Probe.checkpoint("inside");
        return argument;
    }

    static void pass() {
        fail();
    }

    static void fail() {
        Probe.checkpoint("failing");
        throw new IllegalStateException("on purpose");
    }
}
