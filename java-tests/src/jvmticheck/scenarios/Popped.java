package jvmticheck.scenarios;

import java.util.concurrent.TimeUnit;

import jvmticheck.Probe;

/** What the thread of `Popping` does. */
final class Popped implements Runnable, Probe.Condition {
    final Object monitor = new Object();
    Bodies bodies;
    private volatile boolean spinning;
    private int calls;
    private int finals;
    private String arguments = "";
    private String held = "";

    @Override
    public void run() {
        int kept = 77;
        String result = caller(5, 6L << 40, "text");
        Probe.fact("result", result);
        Probe.fact("caller.kept", kept);
        Probe.fact("calls", calls);
        Probe.fact("finals", finals);
        Probe.fact("arguments", arguments);
        Probe.fact("held", held);
        Probe.fact("held.after", Thread.holdsLock(this) || Thread.holdsLock(monitor) ? 1 : 0);
    }

    @Override
    public boolean holds() {
        return spinning;
    }

    /** How long a thread may take to end after an agent has popped its frame, in milliseconds. */
    long patience() {
        return TimeUnit.SECONDS.toMillis(10);
    }

    private String caller(int i, long j, Object o) {
        return "<" + popped(i, j, o) + ">";
    }

    private synchronized String popped(int i, long j, Object o) {
        calls++;
        arguments += i + " " + j + " " + o + ";";
        held += Thread.holdsLock(monitor) ? "held;" : "free;";
        if (calls == 1) {
            i++;
            j++;
            o = "changed";
            try {
                synchronized (monitor) {
                    while (!bodies.over) {
                        spinning = true;
                        if (++bodies.rounds % Bodies.SOME == 0) {
                            bodies.made = new byte[0];
                        }
                    }
                }
            } finally {
                finals++;
            }
        }
        return i + "/" + j + "/" + o;
    }
}
