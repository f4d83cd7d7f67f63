package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Threads that end in different ways. */
public class Endings extends OnPlatformThreads implements Scenario {
    @Override
    public final void run() throws Exception {
        Probe.checkpoint("before");
        end("returned", new Nothing());
        end("thrown", new Runnable() {
            @Override
            public void run() {
                throw new Ending();
            }
        });
        end("failed", new Runnable() {
            @Override
            public void run() {
                throw new AssertionError("on purpose");
            }
        });
        end("interrupted", new Runnable() {
            @Override
            public void run() {
                Thread.currentThread().interrupt();
            }
        });
        end("interrupted_thrown", new Runnable() {
            @Override
            public void run() {
                Thread.currentThread().interrupt();
                throw new Ending();
            }
        });
        Thread daemon = create("daemon", new Nothing());
        daemon.setDaemon(true);
        daemon.setPriority(Thread.MAX_PRIORITY);
        end("daemon", daemon);
        Probe.checkpoint("after");
    }

    private void end(String name, Runnable body) throws Exception {
        end(name, create(name, body));
    }

    private static void end(String name, Thread thread) throws Exception {
        thread.setUncaughtExceptionHandler(new Thread.UncaughtExceptionHandler() {
            @Override
            public void uncaughtException(Thread ending, Throwable thrown) {
                // Nothing is printed.
            }
        });
        Probe.bind(name, thread);
        thread.start();
        thread.join();
    }

    /** The body of a thread that ends at once. */
    private static final class Nothing implements Runnable {
        @Override
        public void run() {
        }
    }

    /** What ends a thread. */
    private static final class Ending extends RuntimeException {
        private static final long serialVersionUID = 1;
    }
}
