package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * The process sends itself the signal by which one asks a VM for a data dump. The main thread then waits to be
 * interrupted, in vain if nothing does so when the request arrives.
 */
public final class DataDump implements Scenario {
    /** Less than jvmti-check waits for a JVM that records nothing. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(12);

    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        long start = System.nanoTime();
        boolean sent = Probe.requestDataDump();
        boolean noticed = Thread.interrupted();
        while (sent && !noticed && System.nanoTime() - start < PATIENCE) {
            LockSupport.parkNanos(PATIENCE / 100);
            noticed = Thread.interrupted();
        }
        Probe.fact("sent", sent ? 1 : 0);
        Probe.fact("noticed", noticed ? 1 : 0);
        Probe.checkpoint("after");
    }
}
