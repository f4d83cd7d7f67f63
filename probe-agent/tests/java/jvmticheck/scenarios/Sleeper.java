package jvmticheck.scenarios;

import java.util.concurrent.CountDownLatch;
import jvmticheck.Probe;
import jvmticheck.Scenario;

/** One thread asleep, one object, one class. */
public class Sleeper implements Scenario {
    static int count = 7;
    String text = "a";

    @Override
    public void run() throws Exception {
        Thread sleeper = new Thread("sleeper") {
            @Override
            public void run() {
                try {
                    Thread.sleep(600_000);
                } catch (InterruptedException e) {
                    // It is meant to end.
                }
            }
        };
        sleeper.start();
        Probe.await(sleeper, Thread.State.TIMED_WAITING);
        Probe.bind("sleeper", sleeper);
        Probe.bind("object", this);
        Probe.bind("class", Sleeper.class);
        Probe.bind("nothing", null);
        Probe.fact("state", sleeper.getState().name());
        Probe.fact("count", count);
        Probe.checkpoint("asleep");
        final CountDownLatch done = new CountDownLatch(1);
        Thread other = new Thread("other") {
            @Override
            public void run() {
                Probe.checkpoint("on another thread");
                done.countDown();
            }
        };
        other.start();
        done.await();
        other.join();
        sleeper.interrupt();
        sleeper.join();
        try {
            Probe.checkpoint("throw");
            Probe.fact("thrown", "nothing");
        } catch (IllegalStateException e) {
            Probe.fact("thrown", e.getMessage());
        }
    }
}
