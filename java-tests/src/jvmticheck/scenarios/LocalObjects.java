package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A hot method makes objects that it passes to nobody, so that a compiler may replace them by variables, and calls a method
 * that reaches the checkpoint. With `-XX:-BackgroundCompilation` the thread waits for the compilation.
 */
public final class LocalObjects implements Scenario {
    private static final int CALLS = 30_000;

    @Override
    public void run() {
        bindClasses();
        int sum = warmUp();
        Probe.checkpoint("before");
        sum += hot(new OpaqueCall.Reaching(), sum);
        Probe.fact("sum", sum == 0 ? 0 : 1);
        Probe.checkpoint("after");
    }

    static void bindClasses() {
        Probe.bind("holder", Holder.class);
        Probe.bind("outer", Outer.class);
        Probe.bind("target", Target.class);
    }

    /** Calls the method often. */
    static int warmUp() {
        OpaqueCall[] calls = OpaqueCall.kinds();
        int sum = 0;
        for (int i = 0; i < CALLS; i++) {
            sum += hot(calls[i % calls.length], i);
        }
        return sum;
    }

    /** Each object that it makes is in use after the call. */
    static int hot(OpaqueCall call, int number) {
        Holder holder = new Holder(number);
        Outer outer = new Outer(new Target(number));
        int before = holder.number + outer.inner.number;
        call.make();
        return before + holder.number * 31 + outer.inner.number;
    }

    /** An object with a number. */
    static final class Holder {
        final int number;

        Holder(int number) {
            this.number = number;
        }
    }

    /** An object that refers to another one. */
    static final class Outer {
        final Target inner;

        Outer(Target inner) {
            this.inner = inner;
        }
    }

    /** That other one. */
    static final class Target {
        final int number;

        Target(int number) {
            this.number = number;
        }
    }
}
