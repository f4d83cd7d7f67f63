package jvmticheck.scenarios;

import java.util.stream.Collectors;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A lambda of a class of its own, and one of the class library, for which a JVM may take the class from an archive. Both are evaluated between
 * `before` and `after`, for the first time in this JVM.
 */
public final class Lambdas implements Scenario {
    private static int calls;

    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        Runnable own = () -> calls++;
        Probe.bind("own", own.getClass());
        own.run();
        Probe.bind("library", Collectors.joining(", ").accumulator().getClass());
        Probe.checkpoint("after");
    }
}
