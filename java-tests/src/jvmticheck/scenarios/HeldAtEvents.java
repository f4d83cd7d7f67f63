package jvmticheck.scenarios;

import java.lang.Thread.State;
import java.util.concurrent.locks.LockSupport;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that calls methods, each of which causes other events, while the main thread marks `poll` again and again: an agent
 * can keep the thread in the callback for an event and ask there for something.
 */
public class HeldAtEvents extends OnPlatformThreads implements Scenario {
    /** The error with which an agent stops the thread. */
    static final Throwable SENT = new Error("sent from outside");

    @Override
    public final void run() throws Exception {
        Probe.bind("sent", SENT);
        Probe.bind("class", Deed.class);
        Probe.bind("lock", Deed.LOCK);
        try (Stage stage = new Stage()) {
            Course course = new Course();
            Thread held = stage.start(stage.keep(create("held", course)), State.WAITING, "park");
            // Loads what the thread would load otherwise, in between what an agent is to see.
            Deed.called.executed();
            Probe.checkpoint("before");
            course.begun = true;
            LockSupport.unpark(held);
            while (held.isAlive()) {
                Probe.checkpoint("poll");
                Thread.yield();
            }
            Probe.fact("sent", course.sent);
            for (Deed deed : Deed.values()) {
                Probe.fact(deed.name() + ".result", course.results[deed.ordinal()]);
                Probe.fact(deed.name() + ".entered", String.valueOf(deed.entered));
            }
        }
        Probe.checkpoint("after");
    }

    /** What the thread does, and what came of it. */
    private static final class Course implements Runnable {
        private static final int DELAYS = 200;
        private static final long DELAY_NANOS = 1000000;

        final String[] results = new String[Deed.values().length];
        volatile boolean begun;
        /** How often the error arrived. */
        volatile int sent;

        @Override
        public void run() {
            while (!begun) {
                LockSupport.park(this);
            }
            try {
                act();
            } catch (Throwable thrown) {
                sent += thrown == SENT ? 1 : 0;
            }
        }

        private void act() {
            for (Deed deed : Deed.values()) {
                deed.entered = 0;
                results[deed.ordinal()] = result(deed);
            }
            if (sent == 0 && Probe.isUsed("sent")) {
                // An exception of another thread may arrive late.
                for (int i = 0; i < DELAYS; i++) {
                    LockSupport.parkNanos(DELAY_NANOS);
                }
            }
        }

        private String result(Deed deed) {
            try {
                return String.valueOf(deed.executed());
            } catch (Throwable thrown) {
                sent += thrown == SENT ? 1 : 0;
                return thrown.toString();
            }
        }
    }

    /** The methods, of which each returns one more than it gets, and counts how often it is executed. */
    enum Deed {
        called, reader, writer, raise, waiter, popped;

        static final Object LOCK = new Object();
        private static final RuntimeException RAISED = new IllegalStateException("thrown and caught");
        static int read = 1;
        static int written;
        volatile int entered;

        int executed() throws InterruptedException {
            switch (this) {
                case called:
                    return called(5);
                case reader:
                    return reader(5);
                case writer:
                    return writer(5);
                case raise:
                    return raise(5);
                case waiter:
                    return waiter(5);
                default:
                    return popped(5);
            }
        }

        static int called(int argument) {
            called.entered++;
            return argument + 1;
        }

        static int reader(int argument) {
            reader.entered++;
            return read + argument;
        }

        static int writer(int argument) {
            writer.entered++;
            written = argument;
            return argument + 1;
        }

        static int raise(int argument) {
            raise.entered++;
            try {
                throw RAISED;
            } catch (IllegalStateException caught) {
                return argument + 1;
            }
        }

        static int waiter(int argument) throws InterruptedException {
            waiter.entered++;
            synchronized (LOCK) {
                LOCK.wait(1);
            }
            return argument + 1;
        }

        static int popped(int argument) {
            popped.entered++;
            Probe.checkpoint("popping");
            return argument + 1;
        }
    }
}
