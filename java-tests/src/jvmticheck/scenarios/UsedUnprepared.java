package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A method that uses a class which is loaded, but not prepared yet, and has an initialiser. Only the first run in a JVM does so. */
public final class UsedUnprepared implements Scenario {
    @Override
    public void run() throws Exception {
        ClassLoader loader = UsedUnprepared.class.getClassLoader();
        Probe.bind("used", Class.forName(UsedUnprepared.class.getName() + "$Used", false, loader));
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        int result = twice();
        Probe.checkpoint("after");
        Probe.fact("result", result);
    }

    static int twice() {
        return 2 * use();
    }

    static int use() {
        return Used.value;
    }

    /** Its initialiser sets the field. */
    static final class Used {
        static int value = 3;

        private Used() {
        }
    }
}
