package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Objects that only operands of an expression refer to while a method call in the expression reaches a checkpoint: `cold` in a method
 * that has not been called before, `hot` in one that a compiler has compiled. With `-XX:-BackgroundCompilation` the thread waits for it.
 */
public final class Operands implements Scenario {
    private static final int CALLS = 30_000;

    /** Whatever an expression got, so that no compiler can leave out the objects. */
    private static volatile Object kept;

    @Override
    public void run() {
        Probe.bind("argument", Argument.class);
        Probe.bind("receiver", Receiver.class);
        Probe.bind("element", Element.class);
        Probe.fact("cold", cold(new Reaching("cold")));
        kept = null;
        Call[] calls = {new First(), new Second(), new Third()};
        for (int i = 0; i < CALLS; i++) {
            hot(calls[i % calls.length]);
        }
        kept = null;
        Probe.fact("hot", hot(new Reaching("hot")));
        kept = null;
        Probe.checkpoint("after");
    }

    private static int cold(Call call) {
        return take(new Argument(), call.make()) + new Receiver().take(call.make())
                + take(new Element[] {new Element(), element(call)}, 1);
    }

    private static int hot(Call call) {
        return take(new Argument(), call.make()) + new Receiver().take(call.make())
                + take(new Element[] {new Element(), element(call)}, 1);
    }

    private static int take(Object argument, int number) {
        kept = argument;
        return number;
    }

    private static Element element(Call call) {
        call.make();
        return null;
    }

    /** A call that no compiler can inline, since there are too many implementations. */
    interface Call {
        int make();
    }

    private static final class First implements Call {
        @Override
        public int make() {
            return 1;
        }
    }

    private static final class Second implements Call {
        @Override
        public int make() {
            return 1;
        }
    }

    private static final class Third implements Call {
        @Override
        public int make() {
            return 1;
        }
    }

    /** Reaches a checkpoint: the first time for the argument, then for the receiver, then for the element. */
    private static final class Reaching implements Call {
        private final String which;
        private int times;

        Reaching(String which) {
            this.which = which;
        }

        @Override
        public int make() {
            kept = null;
            times++;
            Probe.checkpoint(which + (times == 1 ? ".argument" : times == 2 ? ".receiver" : ".element"));
            return 1;
        }
    }

    /** An object that waits to be an argument. */
    static final class Argument {
        int number;
    }

    /** An object of which a method is to be called. */
    static final class Receiver {
        int number;

        int take(int more) {
            kept = this;
            return number + more;
        }
    }

    /** The first element of an array whose second element is not yet known. */
    static final class Element {
        int number;
    }
}
