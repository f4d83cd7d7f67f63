package jvmticheck.scenarios;

import java.lang.ref.WeakReference;
import java.util.function.IntUnaryOperator;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A method that is called so often that a JVM with a compiler compiles it, in a class that is unloaded at the end. No
 * JVM has to do either.
 */
public final class Compiled implements Scenario {
    private static final int OFTEN = 400000;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        comeAndGo();
        Probe.checkpoint("after");
    }

    /** Calls the method often and lets its class be unloaded. */
    static void comeAndGo() throws Exception {
        WeakReference<?> loader = warm();
        Probe.fact("unloaded", Reclaimed.collect(loader) ? 1 : 0);
    }

    /** This has a frame of its own, because a longer-lived frame would keep the class alive. */
    private static WeakReference<?> warm() throws Exception {
        FreshLoader loader = new FreshLoader(Hot.class);
        Probe.fact("sum", callOften(loader));
        Probe.checkpoint("hot");
        return new WeakReference<Object>(loader);
    }

    /** Calls the method of the class that this loader defines often. */
    static int callOften(FreshLoader loader) throws Exception {
        Object hot = loader.initialised(Hot.class.getName()).getDeclaredConstructor().newInstance();
        return ((IntUnaryOperator) hot).applyAsInt(OFTEN);
    }

    /** A class whose methods are called often. */
    public static final class Hot implements IntUnaryOperator {
        private int sum;

        @Override
        public int applyAsInt(int times) {
            for (int i = 0; i < times; i++) {
                hot(i);
            }
            return sum;
        }

        void hot(int i) {
            sum = sum * 31 + inlined(i);
        }

        static int inlined(int i) {
            return i / 3;
        }
    }
}
