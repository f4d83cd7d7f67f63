package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Uses inherited fields, in lambda expressions and initialisers among other places, and calls methods that the compiler has made. */
public final class Places implements Scenario {
    private static int sum;

    @Override
    public void run() throws Exception {
        final Heir heir = new Heir();
        Probe.bind("main", Thread.currentThread());
        Probe.bind("base", Base.class);
        Probe.bind("heir", heir);
        use(heir);
        Class<?> initialised = new FreshLoader(Initialised.class).define(Initialised.class.getName());
        Probe.checkpoint("before");
        use(heir);
        Class.forName(initialised.getName(), true, initialised.getClassLoader());
        Probe.checkpoint("after");
    }

    private static void use(final Heir heir) {
        heir.inherited = 1;
        sum += heir.inherited;
        Heir.shared = 2;
        sum += Heir.shared;
        heir.settled = 3;
        sum += heir.settled;
        Runnable lambda = () -> {
            heir.inherited = 4;
            sum += heir.inherited;
        };
        lambda.run();
        Comparable<Heir> comparable = heir;
        sum += comparable.compareTo(heir);
        sum += Kind.values().length;
        sum += Kind.valueOf("ONE").ordinal();
    }

    /** Declares the fields. */
    public static class Base {
        public static int shared;
        public int inherited;
        public volatile int settled;
    }

    /** Inherits them; and has a bridge method. */
    static final class Heir extends Base implements Comparable<Heir> {
        @Override
        public int compareTo(Heir other) {
            return 7;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return 7;
        }
    }

    /** An enumeration with the methods that every one has. */
    enum Kind {
        ONE, TWO
    }

    /** Its initialiser uses the static field. */
    public static final class Initialised {
        static int seen;

        static {
            Base.shared = 5;
            seen = Base.shared;
        }

        private Initialised() {
        }
    }
}
