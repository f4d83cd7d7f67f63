package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;

/** A thread that parks in what a method calls whose class an agent may redefine meanwhile. */
abstract class PausedMethod extends OnPlatformThreads {
    /** Calls the method, and returns what it returns. */
    abstract String call(Pause pause);

    /** At the checkpoint `paused` the thread is parked. It goes on afterwards, and the fact `told` is what the method has returned. */
    final void pause() throws Exception {
        try (Stage stage = new Stage()) {
            Course course = new Course();
            Thread pausing = stage.start(stage.keep(create("pausing", course)), State.WAITING, "park");
            Probe.checkpoint("paused");
            course.pause.over = true;
            LockSupport.unpark(pausing);
            pausing.join();
            Probe.fact("told", course.told);
        }
    }

    /** What the thread does. */
    private final class Course implements Runnable {
        final Pause pause = new Pause(true);
        String told;

        @Override
        public void run() {
            told = call(pause);
        }
    }

    /** Something that may have to be waited for. */
    static final class Pause {
        private volatile boolean over;

        Pause(boolean awaited) {
            over = !awaited;
        }

        void await() {
            while (!over) {
                LockSupport.park(this);
            }
        }
    }
}
