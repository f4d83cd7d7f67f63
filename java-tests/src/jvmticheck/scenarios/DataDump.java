package jvmticheck.scenarios;

import java.io.File;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * The process sends itself the signal by which one asks a VM for a data dump. The main thread then waits to be
 * interrupted, in vain if nothing does so when the request arrives.
 */
public final class DataDump implements Scenario {
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(20);

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        String process = new File("/proc/self").getCanonicalFile().getName();
        Probe.checkpoint("before");
        long start = System.nanoTime();
        Process kill = new ProcessBuilder("kill", "-QUIT", process).start();
        boolean noticed = false;
        int sent;
        try {
            sent = kill.waitFor();
        } catch (InterruptedException already) {
            noticed = true;
            sent = kill.waitFor();
        }
        while (!noticed && System.nanoTime() - start < PATIENCE) {
            LockSupport.parkNanos(PATIENCE / 100);
            noticed = Thread.interrupted();
        }
        Probe.fact("sent", sent == 0 ? 1 : 0);
        Probe.fact("noticed", noticed ? 1 : 0);
        Probe.checkpoint("after");
    }
}
