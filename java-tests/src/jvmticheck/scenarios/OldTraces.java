package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that parks in what the method `paused` of the class `Body` calls, after the method `made` has made an exception. The class is
 * new in each run, and an agent may redefine it meanwhile. Then the thread asks for its stack trace, and for that of the exception.
 */
public class OldTraces extends PausedMethod implements Scenario {
    private Way way;
    private Throwable made;

    @Override
    public final void run() throws Exception {
        FreshLoader loader = new FreshLoader(Body.class);
        way = (Way) loader.made(Body.class);
        made = way.made(2);
        Probe.bind("class", way.getClass());
        Probe.bind("original", new EditedClass(Body.class).bytes());
        Probe.fact("told.before", told(way.made(2).getStackTrace()));
        pause();
        Probe.checkpoint("after");
    }

    @Override
    final String call(final Pause pause) {
        return way.paused(new Runnable() {
            @Override
            public void run() {
                pause.await();
                Probe.fact("told.exception", told(made.getStackTrace()));
                Probe.fact("told.thread", told(Thread.currentThread().getStackTrace()));
            }
        });
    }

    /** The names of the methods of `Body` in a stack trace. */
    private static String told(StackTraceElement[] trace) {
        StringBuilder names = new StringBuilder();
        for (StackTraceElement element : trace) {
            if (element.getClassName().equals(Body.class.getName())) {
                names.append(' ').append(element.getMethodName());
            }
        }
        return names.toString().trim();
    }

    /** The methods of `Body`, for callers that its loader has not defined. */
    public interface Way {
        /** Makes an exception in as many frames and one more. */
        Throwable made(int further);

        /** Runs that, and tells its version. */
        String paused(Runnable pause);
    }

    /** The class that an agent redefines. */
    public static final class Body implements Way {
        @Override
        public Throwable made(int further) {
            return further == 0 ? new IllegalStateException("made") : made(further - 1);
        }

        @Override
        public String paused(Runnable pause) {
            pause.run();
            return "original";
        }
    }
}
