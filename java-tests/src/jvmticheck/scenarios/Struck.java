package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A thread in a state in which an agent interrupts or stops it; it tells what came of that. */
final class Struck implements Runnable {
    /** The states. */
    static final String[] STATES = {"sleeping", "waiting", "timed_waiting", "parked", "timed_parked", "spinning", "blocked"};

    /** Those in which a thread waits, and so receives an exception from outside at once. */
    static final String[] WAITING = {"sleeping", "waiting", "timed_waiting"};

    /** The exception with which an agent stops threads. */
    static final Throwable SENT = new Error("sent from outside");

    /** Rounds that take far longer than an exception from outside needs to come. */
    private static final int LONG = 200000;
    private static final long DAY = TimeUnit.DAYS.toMillis(1);

    private final String state;
    /** Whether it is to be stopped, not interrupted. */
    private final boolean stopped;
    private final Object lock;
    private final Object own = new Object();
    private volatile int rounds;
    /** What came of it; null as long as nothing has. */
    volatile String outcome;

    Struck(String state, boolean stopped, Object lock) {
        this.state = state;
        this.stopped = stopped;
        this.lock = lock;
    }

    @Override
    public void run() {
        String told;
        try {
            if (stopped) {
                enterAndLinger();
            } else {
                enter();
            }
            told = Thread.interrupted() ? "interrupted" : "nothing";
        } catch (InterruptedException thrown) {
            told = Thread.interrupted() ? "thrown and interrupted" : "thrown";
        } catch (Throwable thrown) {
            told = thrown == SENT ? "sent" : thrown.toString();
        }
        outcome = told;
    }

    /** Goes on for a while, because the exception with which a thread is stopped may come somewhat later than it wakes. */
    private void enterAndLinger() {
        try {
            enter();
        } catch (InterruptedException awake) {
            // A JVM may wake a thread by these means in order to stop it.
        }
        for (rounds = 0; rounds < LONG; rounds++) {
            Thread.yield();
        }
    }

    private void enter() throws InterruptedException {
        switch (state) {
            case "sleeping":
                Thread.sleep(DAY);
                break;
            case "waiting":
            case "timed_waiting":
                await(state.equals("waiting") ? 0 : DAY);
                break;
            case "parked":
            case "timed_parked":
                park(state.equals("timed_parked"));
                break;
            case "spinning":
                spin();
                break;
            default:
                synchronized (lock) {
                    rounds = 0;
                }
        }
    }

    /** Waits; a JVM may wake the thread for no reason. */
    private void await(long millis) throws InterruptedException {
        synchronized (own) {
            while (outcome == null) {
                own.wait(millis);
            }
        }
    }

    /** Parks, as often as the thread is unparked for no reason. */
    private void park(boolean timed) {
        while (!Thread.currentThread().isInterrupted()) {
            if (timed) {
                LockSupport.parkNanos(this, TimeUnit.DAYS.toNanos(1));
            } else {
                LockSupport.park(this);
            }
        }
    }

    /** Pauses now and then, so that many of these leave time for others. */
    private void spin() {
        while (!Thread.currentThread().isInterrupted()) {
            if (++rounds % 1000 == 0) {
                Thread.yield();
            }
        }
    }

    /** The name of the method in which the thread is in its state. */
    String method() {
        switch (state) {
            case "sleeping":
                return "sleep";
            case "waiting":
            case "timed_waiting":
                return "wait";
            case "parked":
            case "timed_parked":
                return "park";
            case "spinning":
                return "spin";
            default:
                return "enter";
        }
    }
}
