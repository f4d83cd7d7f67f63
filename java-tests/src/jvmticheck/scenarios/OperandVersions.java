package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that parks in what the method `paused` of the class `Body` calls. The method has instructions with operands of many kinds, of which an
 * agent may change one meanwhile.
 */
public class OperandVersions extends OnPlatformThreads implements Scenario {
    @Override
    public final void run() throws Exception {
        Probe.bind("class", Body.class);
        Probe.bind("original", new EditedClass(Body.class).bytes());
        Probe.fact("expected", Body.paused(new OldVersions.Pause(false), 3));
        try (Stage stage = new Stage()) {
            Course course = new Course();
            Thread pausing = stage.start(stage.keep(create("pausing", course)), State.WAITING, "park");
            Probe.checkpoint("paused");
            course.pause.over = true;
            LockSupport.unpark(pausing);
            pausing.join();
            Probe.fact("told", course.told);
        }
        Probe.checkpoint("after");
    }

    /** What the thread does. */
    private static final class Course implements Runnable {
        final OldVersions.Pause pause = new OldVersions.Pause(true);
        String told;

        @Override
        public void run() {
            told = Body.paused(pause, 3);
        }
    }

    /** The class that an agent redefines. */
    static final class Body {
        private Body() {
        }

        static String paused(OldVersions.Pause pause, int argument) {
            pause.await();
            Object made = new int[argument];
            int sum = argument * 1001;
            sum += argument % 78;
            sum += 9;
            sum += 1002;
            switch (sum) {
                case 4020:
                    sum++;
                    break;
                case 5000000:
                    sum--;
                    break;
                default:
                    sum = -sum;
            }
            return made.getClass().getName() + sum;
        }
    }
}
