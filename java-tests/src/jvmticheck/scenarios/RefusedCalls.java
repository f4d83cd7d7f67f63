package jvmticheck.scenarios;

import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls of methods that a class inherits twice, or does not implement, as its class file is not the one that the compiler made. */
public final class RefusedCalls implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(RefusedCalls.class);
        loader.define(Second.class.getName(), new EditedClass(Second.class).with("again", "given").bytes());
        for (Class<?> type : new Class<?>[] {Lacking.class, LackingOne.class, LackingBeside.class}) {
            loader.define(type.getName(), new EditedClass(type).with("absent", "sparse").bytes());
        }
        Class<?> calls = loader.initialised(Calls.class.getName());
        Callable<?> caller = (Callable<?>) calls.getDeclaredConstructor().newInstance();
        Probe.bind("calls", calls);
        Probe.checkpoint("before");
        Probe.fact("refused", (Integer) caller.call());
        Probe.checkpoint("after");
    }

    /** An interface with a body. */
    public interface First {
        default int given() {
            return 1;
        }
    }

    /** An interface whose body gets the name of the other one. */
    public interface Second {
        default int again() {
            return 2;
        }
    }

    /** A class that inherits both bodies. */
    public static class Both implements First, Second {
    }

    /** A class that calls what it inherits. */
    public static class Below extends Both {
        int above() {
            return super.given();
        }
    }

    /** A class without a body. */
    public abstract static class Above {
        public abstract int absent();
    }

    /** A class that does not implement it. */
    public static class Lacking extends Above {
        @Override
        public int absent() {
            return 3;
        }
    }

    /** An interface without a body. */
    public interface One {
        int absent();
    }

    /** A class that does not implement it. */
    public static class LackingOne implements One {
        @Override
        public int absent() {
            return 4;
        }
    }

    /** An interface with a body and a method without one. */
    public interface Beside {
        int absent();

        default int present() {
            return 5;
        }
    }

    /** A class that does not implement it. */
    public static class LackingBeside implements Beside {
        @Override
        public int absent() {
            return 6;
        }
    }

    /** The calls, each in a method of its own. */
    public static final class Calls implements Callable<Integer> {
        private static final int KINDS = 7;
        private final Both both = new Both();
        private final Below below = new Below();
        private final Lacking lacking = new Lacking();
        private final LackingOne one = new LackingOne();
        private final LackingBeside beside = new LackingBeside();

        @Override
        public Integer call() {
            int refused = 0;
            for (int kind = 0; kind < KINDS; kind++) {
                try {
                    called(kind);
                } catch (IncompatibleClassChangeError expected) {
                    refused++;
                }
            }
            return refused;
        }

        private int called(int kind) {
            switch (kind) {
                case 0:
                    return twice(both);
                case 1:
                    return twiceByInterface(both);
                case 2:
                    return below.above();
                case 3:
                    return absent(lacking);
                case 4:
                    return absentByInterface(one);
                case 5:
                    return absentBeside(beside);
                default:
                    return absentBesideByInterface(beside);
            }
        }

        static int twice(Both both) {
            return both.given();
        }

        static int twiceByInterface(First first) {
            return first.given();
        }

        static int absent(Above above) {
            return above.absent();
        }

        static int absentByInterface(One one) {
            return one.absent();
        }

        static int absentBeside(LackingBeside beside) {
            return beside.absent();
        }

        static int absentBesideByInterface(Beside beside) {
            return beside.absent();
        }
    }
}
