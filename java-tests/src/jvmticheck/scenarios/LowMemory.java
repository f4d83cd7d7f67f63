package jvmticheck.scenarios;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.NotificationListener;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A method that the JVM calls on a thread of its own when a collection leaves more in a memory pool than its threshold. */
public final class LowMemory implements Scenario, NotificationListener {
    /** Less than jvmti-check waits for a JVM that records nothing. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(12);

    /** On a busy machine, few collections may take all that time. */
    private static final int COLLECTIONS = 100;

    static volatile int count;

    private final Thread main = Thread.currentThread();
    private volatile boolean arrived;
    private volatile boolean released;
    private volatile boolean finished;

    @Override
    public void run() throws Exception {
        Probe.bind("class", LowMemory.class);
        NotificationEmitter emitter = (NotificationEmitter) ManagementFactory.getMemoryMXBean();
        List<MemoryPoolMXBean> pools = new ArrayList<>();
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.isCollectionUsageThresholdSupported()) {
                pools.add(pool);
            }
        }
        count = 0;
        Probe.checkpoint("before");
        emitter.addNotificationListener(this, null, null);
        try {
            for (MemoryPoolMXBean pool : pools) {
                pool.setCollectionUsageThreshold(1);
            }
            long start = System.nanoTime();
            for (int i = 0; !pools.isEmpty() && !arrived && (i < COLLECTIONS || System.nanoTime() - start < PATIENCE); i++) {
                System.gc();
                Thread.sleep(1);
            }
            if (arrived) {
                Probe.checkpoint("running");
            }
            released = true;
            while (arrived && !finished) {
                Thread.yield();
            }
        } finally {
            for (MemoryPoolMXBean pool : pools) {
                pool.setCollectionUsageThreshold(0);
            }
            emitter.removeNotificationListener(this);
        }
        Probe.checkpoint("after");
        Probe.fact("notified", count);
    }

    @Override
    public synchronized void handleNotification(Notification notification, Object handback) {
        if (!arrived) {
            Probe.bind("notifier", Thread.currentThread());
            arrived = true;
            while (!released && Thread.currentThread() != main) {
                Thread.yield();
            }
            notified();
            finished = true;
        }
    }

    static void notified() {
        count++;
        try {
            throw new IllegalStateException("thrown");
        } catch (IllegalStateException caught) {
            count += caught.getMessage().length() - 6;
        }
    }
}
