package jvmticheck.scenarios;

import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The class that the JVM makes of a lambda expression, which is new in each run. */
public final class Lambda implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Maker.class);
        Callable<?> maker = (Callable<?>) loader.made(Maker.class);
        Probe.checkpoint("before");
        Probe.bind("class", maker.call().getClass());
        Probe.checkpoint("after");
    }

    /** Makes the lambda expression. */
    public static class Maker implements Callable<Object> {
        public Maker() {
        }

        @Override
        public Object call() {
            Runnable made = () -> { };
            return made;
        }
    }
}
