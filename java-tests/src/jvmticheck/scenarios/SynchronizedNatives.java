package jvmticheck.scenarios;

import java.util.function.IntUnaryOperator;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Native methods with other access flags than those of `Natives`, of a class of that name that is new in each run. */
public final class SynchronizedNatives implements Scenario {
    private static final int OF_CLASS = 0;
    private static final int OF_OBJECT = 1;
    private static final int UNLOCKED = 2;
    private static final int REGISTERED = 3;

    @Override
    public void run() throws Exception {
        byte[] file = new EditedClass(Bound.class).with(Bound.class.getName().replace('.', '/'), Natives.class.getName().replace('.', '/'))
                .bytes();
        Class<?> type = new FreshLoader(SynchronizedNatives.class).define(Natives.class.getName(), file);
        IntUnaryOperator bound = (IntUnaryOperator) type.getDeclaredConstructor().newInstance();
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", type);
        Probe.checkpoint("before");
        call(bound, "of_class", OF_CLASS);
        call(bound, "of_object", OF_OBJECT);
        call(bound, "unlocked", UNLOCKED);
        call(bound, "registered", REGISTERED);
        Probe.checkpoint("called");
        call(bound, "of_class.again", OF_CLASS);
        call(bound, "of_object.again", OF_OBJECT);
        call(bound, "unlocked.again", UNLOCKED);
        call(bound, "registered.again", REGISTERED);
        Probe.checkpoint("after");
    }

    private static void call(IntUnaryOperator bound, String name, int which) {
        int result;
        try {
            result = bound.applyAsInt(which);
        } catch (UnsatisfiedLinkError none) {
            result = -1;
        }
        Probe.fact(name, result);
    }

    /** The agent's library implements the methods `one`, `two` and `redirected` of a class with the name of `Natives`. */
    public static final class Bound implements IntUnaryOperator {
        static synchronized native int one();

        synchronized native int two();

        native int redirected();

        synchronized native int registered();

        public Bound() {
        }

        @Override
        public int applyAsInt(int which) {
            switch (which) {
                case OF_CLASS:
                    return one();
                case OF_OBJECT:
                    return two();
                case UNLOCKED:
                    return redirected();
                default:
                    return registered();
            }
        }
    }
}
