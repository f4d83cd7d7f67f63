package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls of Object.wait that throw at once, because the thread does not own the monitor or passes what it may not; and one that waits. */
public final class RefusedWaits implements Scenario {
    private static final int NANOS_IN_MILLI = 1000000;

    private int refused;

    @Override
    public void run() throws Exception {
        Probe.bind("thread", Thread.currentThread());
        Object unowned = bound("unowned");
        Object timed = bound("unowned_timed");
        Object left = bound("left");
        Object negative = bound("negative");
        Object nanos = bound("nanos");
        Object proper = bound("proper");
        Probe.checkpoint("before");
        await(unowned, 0, 0);
        await(timed, 1, 0);
        synchronized (left) {
            Probe.fact("held", 1);
        }
        await(left, 1, 0);
        synchronized (negative) {
            await(negative, -1, 0);
        }
        synchronized (nanos) {
            await(nanos, 1, NANOS_IN_MILLI);
        }
        synchronized (proper) {
            proper.wait(1);
        }
        Probe.checkpoint("after");
        Probe.fact("refused", refused);
    }

    private static Object bound(String name) {
        Object object = new Object();
        Probe.bind(name, object);
        return object;
    }

    private void await(Object object, long millis, int nanos) throws InterruptedException {
        try {
            if (nanos == 0) {
                object.wait(millis);
            } else {
                object.wait(millis, nanos);
            }
        } catch (IllegalMonitorStateException expected) {
            refused++;
        } catch (IllegalArgumentException expected) {
            refused++;
        }
    }
}
