package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that parks in what the method `paused` of the class `Body` calls. The method has instructions with operands of many kinds, of which an
 * agent may change one meanwhile.
 */
public class OperandVersions extends PausedMethod implements Scenario {
    @Override
    public final void run() throws Exception {
        Probe.bind("class", Body.class);
        Probe.bind("original", new EditedClass(Body.class).bytes());
        Probe.fact("expected", Body.paused(new Pause(false), 3));
        pause();
        Probe.checkpoint("after");
    }

    @Override
    final String call(Pause pause) {
        return Body.paused(pause, 3);
    }

    /** The class that an agent redefines. */
    static final class Body {
        private Body() {
        }

        static String paused(Pause pause, int argument) {
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
