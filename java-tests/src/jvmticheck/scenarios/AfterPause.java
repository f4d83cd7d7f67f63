package jvmticheck.scenarios;

import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Virtual threads that pause in the method `paused`, called by `caller` and that by `outer`, and then write the field `written`
 * there. A pause unmounts a thread; when it goes on, only some of its frames need be on a stack again. Each thread starts after
 * a checkpoint named after its pause. JDK 21 and newer.
 */
public final class AfterPause implements Scenario {
    private static final String[] PAUSES = {"parked", "waited", "held"};

    static volatile int written;

    @Override
    public void run() throws Exception {
        Probe.bind("forced", Result.FORCED);
        Probe.bind("thrown", new IllegalStateException("thrown by an agent"));
        Probe.bind("class", AfterPause.class);
        for (String pause : PAUSES) {
            if (!Probe.isUsed(pause)) {
                continue;
            }
            try (Stage stage = new Stage()) {
                Actor actor = new Actor(pause);
                Probe.bind(pause + "_virtual_object", actor.lock);
                Thread thread = stage.keep(Virtual.thread(pause + "_virtual", actor));
                Probe.checkpoint(pause);
                stage.startAndEnd(thread);
                actor.publish(thread.getName());
            }
        }
        Probe.checkpoint("after");
    }

    /** What a thread does. */
    private static final class Actor implements Runnable {
        final Object lock = new Object();
        private final String pause;
        private final Object monitor = new Object();
        private final Calls calls = Calls.brief();
        private String result = "none";
        private String seen = "none";

        Actor(String pause) {
            this.pause = pause;
        }

        @Override
        public void run() {
            result = outer(1, 1L << 41);
        }

        private String outer(int number, long wide) {
            String told;
            try {
                told = caller(2, 2L << 41);
            } catch (IllegalStateException thrown) {
                told = "caught";
            }
            return told + " " + number + "/" + wide;
        }

        private String caller(int number, long wide) {
            Object told;
            if (pause.equals("held")) {
                synchronized (lock) {
                    told = paused(5, 6L << 40);
                }
            } else {
                told = paused(5, 6L << 40);
            }
            return told + " " + number + "/" + wide;
        }

        private Object paused(int number, long wide) {
            calls.enter(number, wide, 1.25);
            number++;
            wide++;
            pause();
            written = number;
            seen = number + "/" + wide;
            return calls.leave(number, wide);
        }

        private void pause() {
            if (!pause.equals("waited")) {
                LockSupport.parkNanos(this, 1000);
                return;
            }
            synchronized (monitor) {
                try {
                    monitor.wait(1);
                } catch (InterruptedException over) {
                    Thread.currentThread().interrupt();
                }
            }
        }

        void publish(String name) {
            calls.publish(name, result);
            Probe.fact(name + ".seen", seen);
        }
    }
}
