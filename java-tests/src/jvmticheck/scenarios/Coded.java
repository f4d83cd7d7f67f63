package jvmticheck.scenarios;

import java.util.List;

/** The methods of `MethodShapes`. */
abstract class Coded<T> {
    static final int FOUR;

    static {
        FOUR = 4;
    }

    Coded() {
    }

    /** A method whose bytecode refers to no constant. */
    static int loop(int rounds) {
        int count = 0;
        for (int i = 0; i < rounds; i++) {
            count += i;
        }
        return count;
    }

    /** Arguments of one slot and of two; with `this`, nine slots. */
    double wide(int i, long j, float f, double d, Object o, boolean z) {
        return i + j + f + d + (z ? 1 : 0);
    }

    static void nothing() {
    }

    /** A variable of a generic type, in a block of its own. */
    <U extends T> U generic(List<U> list) {
        for (U each : list) {
            return each;
        }
        return null;
    }

    /** Variables that are arrays: of a type variable, of a generic type, and of numbers. */
    <U extends T> U arrays(U[] some, List<U>[] lists, int[] numbers) {
        return numbers.length > 0 ? some[numbers[0]] : lists[0].get(0);
    }

    protected final synchronized Object varied(Object... objects) {
        return objects;
    }

    abstract T unfinished(T argument);

    native int inNative(long argument);

    static native void inStaticNative();

    /** Overrides a method with another type, so that there is a bridge method, which is synthetic. */
    static final class Finished extends Coded<String> {
        @Override
        String unfinished(String argument) {
            return argument;
        }
    }
}
