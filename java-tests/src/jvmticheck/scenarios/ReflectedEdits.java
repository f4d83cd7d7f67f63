package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** The classes of `Edits`, with what reflection says about them before and after `ready`. */
public final class ReflectedEdits implements Scenario {
    @Override
    public void run() throws Exception {
        new Edits(true).run();
    }
}
