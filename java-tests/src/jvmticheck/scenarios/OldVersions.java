package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that parks in what the method `paused` of the class `Body` calls, after `paused` has been called often. An agent may
 * redefine the class meanwhile. Then `paused` goes on: it reads and writes fields, catches an exception, and returns.
 */
public class OldVersions extends OnPlatformThreads implements Scenario {
    /** Calls that are enough for a compiler to take notice. */
    private static final int OFTEN = 12000;
    /** Calls that are enough once it has compiled the method, which cases make it do again. */
    private static final int AGAIN = 1200;
    private static boolean isWarm;

    @Override
    public final void run() throws Exception {
        Probe.bind("class", Body.class);
        Probe.bind("original", new EditedClass(Body.class).bytes());
        int times = isWarm ? AGAIN : OFTEN;
        isWarm = true;
        Pause none = new Pause(false);
        for (int i = 0; i < times; i++) {
            Body.paused(none, 5);
        }
        try (Stage stage = new Stage()) {
            Course course = new Course();
            Thread pausing = stage.start(stage.keep(create("pausing", course)), State.WAITING, "park");
            Probe.checkpoint("paused");
            course.pause.over = true;
            LockSupport.unpark(pausing);
            pausing.join();
            Probe.fact("told", course.told);
            Probe.fact("told.next", Body.paused(none, 5));
        }
        Probe.checkpoint("after");
    }

    /** What the thread does. */
    private static final class Course implements Runnable {
        final Pause pause = new Pause(true);
        String told;

        @Override
        public void run() {
            told = Body.paused(pause, 5);
        }
    }

    /** Something that may have to be waited for. */
    static final class Pause {
        volatile boolean over;

        Pause(boolean awaited) {
            over = !awaited;
        }

        void await() {
            while (!over) {
                LockSupport.park(this);
            }
        }
    }

    /** The class that an agent redefines. */
    static final class Body {
        private static final IllegalStateException REFUSAL = new IllegalStateException("refused");
        static int read = 1;
        static int written;

        private Body() {
        }

        static String paused(Pause pause, int argument) {
            pause.await();
            int sum = read + argument;
            written = sum;
            try {
                refuse(sum);
            } catch (IllegalStateException refused) {
                sum++;
            }
            return sum == 7 ? "original" : "wrong";
        }

        static void refuse(int sum) {
            if (sum > 0) {
                throw REFUSAL;
            }
        }

        static String other() {
            return "elsewhere";
        }
    }
}
