package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A thread that makes objects and at once returns, stores, passes, copies and throws them, and states for each whether it
 * gets the very object, with what it holds, even if that has moved meanwhile.
 */
public class Collected extends OnPlatformThreads implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("class", Collected.class);
        Probe.bind("box", Box.class);
        Probe.bind("boxes", Box[][].class);
        Probe.bind("holder", Holder.class);
        try (Stage stage = new Stage()) {
            stage.startAndEnd(stage.keep(create("worker", new Worker())));
        }
        Probe.checkpoint("ended");
    }

    /** Does all of it once, between `before` and `after`. */
    private static final class Worker implements Runnable {
        /** Arrays of 10,000 bytes: enough for a new sampling interval to take effect. */
        private static final int MANY = 3000;

        @Override
        public void run() {
            Fresh.box(1);
            Probe.checkpoint("before");
            if (Probe.isUsed("warm")) {
                for (int i = 0; i < MANY; i++) {
                    Fresh.garbage = new byte[10000];
                }
                Probe.checkpoint("warm");
            }
            state("returned", Fresh.isMade(Fresh.make(), 7));
            state("locked", Fresh.isMade(Fresh.makeLocked(), 7));
            state("own", Fresh.isMade(Fresh.box(7).own(), 7));
            state("copied", copies());
            state("thrown", catches());
            Holder holder = new Holder();
            holder.box = Fresh.box(7);
            state("stored", Fresh.isMade(holder.box, 7));
            Holder.shared = Fresh.box(7);
            state("shared", Fresh.isMade(Holder.shared, 7));
            state("read", Fresh.isMade(new Holder(Fresh.box(7)).box, 7));
            Box first = Fresh.box(8);
            state("passed", takes(first, 1L << 40, Fresh.box(7), 0.5));
            state("grid", fills(new Box[2][3]));
            Probe.checkpoint("after");
        }

        private static void state(String deed, boolean holds) {
            Probe.fact(deed, holds ? 1 : 0);
        }

        private static boolean copies() {
            Box box = Fresh.box(7);
            Box copy = box.copy();
            return copy != box && copy.number == 7 && copy.next == box.next && Fresh.isMade(box, 7);
        }

        private static boolean catches() {
            try {
                Fresh.fail();
                return false;
            } catch (Failure failure) {
                return Fresh.made == failure && failure.number == 7;
            }
        }

        private static boolean fills(Box[][] grid) {
            for (Box[] row : grid) {
                row[2] = Fresh.box(7);
            }
            return grid.length == 2 && grid[0].length == 3 && grid[0][2].number == 7 && Fresh.isMade(grid[1][2], 7);
        }
    }

    static boolean takes(Box first, long wide, Box second, double real) {
        return first.number == 8 && wide == 1L << 40 && Fresh.isMade(second, 7) && real == 0.5;
    }

    /** What makes objects; the one that was made last is in `made`. */
    static final class Fresh {
        static volatile Object made;
        static volatile Object garbage;

        private Fresh() {
        }

        /** Garbage before the object, so that it moves when that is collected. */
        static Box box(int number) {
            garbage = new byte[100000];
            Box box = new Box(number);
            made = box;
            return box;
        }

        static boolean isMade(Box box, int number) {
            return box == made && box.number == number && box.next.equals("next");
        }

        static Box make() {
            Probe.checkpoint("returning");
            return box(7);
        }

        static synchronized Box makeLocked() {
            Probe.checkpoint("returning_locked");
            return box(7);
        }

        static void fail() {
            Probe.checkpoint("failing");
            garbage = new byte[100000];
            Failure failure = new Failure(7);
            made = failure;
            throw failure;
        }
    }

    /** An object that knows whether it is what it should be. */
    static final class Box implements Cloneable {
        final int number;
        final Object next = "next";

        Box(int number) {
            this.number = number;
        }

        Box own() {
            Probe.checkpoint("returning_own");
            return this;
        }

        Box copy() {
            try {
                return (Box) clone();
            } catch (CloneNotSupportedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    /** Has a box. */
    static final class Holder {
        static Box shared;
        Box box;

        Holder() {
        }

        Holder(Box box) {
            this.box = box;
        }
    }

    /** Is thrown on purpose. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;
        final int number;

        Failure(int number) {
            this.number = number;
        }
    }
}
