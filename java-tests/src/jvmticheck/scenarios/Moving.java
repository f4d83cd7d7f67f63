package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that moves an object and a number between two holders without end: it gives them to one holder before it takes
 * them from the other, so that at each moment at least one of the two has each of them.
 */
public final class Moving implements Scenario {
    /** How often to yield before the next move. On a busy machine, each time may take milliseconds. */
    private static final int YIELDS = 100;
    /** How many moves show that the thread moves things. */
    private static final int MOVES = 3;

    static volatile boolean over;
    static volatile int moves;

    @Override
    public void run() {
        over = false;
        moves = 0;
        final Object moved = new Object();
        final Holder first = new Holder();
        final Holder second = new Holder();
        first.held = moved;
        first.number = 1;
        Probe.bind("holder_class", Holder.class);
        Probe.bind("first", first);
        Probe.bind("second", second);
        Probe.bind("holders", new Holder[] {first, second});
        Probe.bind("moved", moved);
        try (Stage stage = new Stage()) {
            stage.cast("mover", new Runnable() {
                @Override
                public void run() {
                    while (!over) {
                        move(moved, second, first);
                        move(moved, first, second);
                        moves++;
                    }
                }
            }).start();
            Probe.await("the mover to move", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return moves >= MOVES;
                }
            });
            Probe.checkpoint("moving");
            over = true;
        }
    }

    /** Yields where only one of the holders has the object and the number: that is how it is most of the time. */
    static void move(Object moved, Holder to, Holder from) {
        to.held = moved;
        to.number = 1;
        from.held = null;
        from.number = 0;
        for (int i = 0; i < YIELDS; i++) {
            Thread.yield();
        }
    }

    /** Has an object and a number, or neither. */
    static final class Holder {
        volatile Object held;
        volatile int number;
    }
}
