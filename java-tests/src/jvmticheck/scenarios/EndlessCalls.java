package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread with a small stack that executes a method whose first instruction calls the same method, until the stack overflows. */
public final class EndlessCalls implements Scenario {
    private static final long STACK = 300 * 1024;

    @Override
    public void run() throws Exception {
        Thread thread = new Thread(null, new Runnable() {
            @Override
            public void run() {
                Probe.checkpoint("before");
                try {
                    call();
                } catch (VirtualMachineError expected) {
                    // Where stacks grow as long as there is memory, another one than StackOverflowError.
                    Probe.checkpoint("after");
                }
            }
        }, "calling", STACK);
        thread.setDaemon(true);
        Probe.bind("calling", thread);
        thread.start();
        thread.join();
    }

    static void call() {
        call();
    }
}
