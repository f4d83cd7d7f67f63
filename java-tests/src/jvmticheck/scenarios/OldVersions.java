package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that parks in what the method `paused` of the class `Body` calls, after `paused` has been called often. An agent may
 * redefine the class meanwhile. Then `paused` goes on: it reads and writes fields, catches an exception, and returns.
 */
public class OldVersions extends PausedMethod implements Scenario {
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
        pause();
        Probe.fact("told.next", Body.paused(none, 5));
        Probe.checkpoint("after");
    }

    @Override
    final String call(Pause pause) {
        return Body.paused(pause, 5);
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
