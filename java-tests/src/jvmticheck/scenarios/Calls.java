package jvmticheck.scenarios;

import jvmticheck.Probe;

/** What happens in a method in whose frame a thread spins: how often it is entered, with which arguments, and whether it ends. */
public final class Calls {
    /** Rounds in which a method takes all its ways. */
    private static final long FEW = 2;

    /** Those of the class initialiser that runs next, which another loader has defined. */
    public static volatile Calls handed;

    private final boolean warming;
    /** The rounds of the first call, or of each that warms the method. */
    private final long first;
    /** The rounds that the method spins for; no call is needed to see that it is to end. */
    public volatile long limit;
    /** Some of the rounds that it has spun for. */
    public volatile long reached;
    public long rounds;
    public Object made;
    int entered;
    int finished;
    String arguments = "";

    private Calls(boolean warming, long first) {
        this.warming = warming;
        this.first = first;
    }

    /** Counts the calls, in the first of which the method spins. */
    static Calls spinning() {
        return new Calls(false, Long.MAX_VALUE);
    }

    /** Counts the calls, all of which end at once. */
    static Calls brief() {
        return new Calls(false, 0);
    }

    /** Does not count the calls, so that the method can be called until a compiler takes notice of it. */
    static Calls warming() {
        return warmingFor(FEW);
    }

    /** Does not count the calls, in each of which the method spins for so many rounds. */
    static Calls warmingFor(long rounds) {
        return new Calls(true, rounds);
    }

    /** Begins a call. */
    public void enter(int number, long wide, double large) {
        rounds = 0;
        if (warming) {
            limit = first;
            return;
        }
        entered++;
        arguments += number + " " + wide + " " + large + ";";
        limit = entered == 1 ? first : 0;
    }

    /** States what happened, and what the caller received. */
    void publish(String name, String result) {
        Probe.fact(name + ".entered", entered);
        Probe.fact(name + ".finished", finished);
        Probe.fact(name + ".arguments", arguments);
        Probe.fact(name + ".result", result);
    }

    /** Ends a call and makes its result. */
    public Object leave(int number, long wide) {
        finished++;
        return warming ? null : number + "/" + wide;
    }
}
