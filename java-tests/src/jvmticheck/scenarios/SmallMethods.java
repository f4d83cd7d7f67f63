package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls small methods, which a JVM may execute in other ways than by their instructions, each in a method of its own, first and often. */
public final class SmallMethods implements Scenario {
    private static final String[] KINDS = {
        "constant", "getter", "setter", "bitCount", "reverseBytes", "max", "addExact", "multiplyExact", "equals", "equalArrays", "append",
        "boxed", "bits", "handled", "made",
    };
    /** Calls that are enough for a compiler to take notice. */
    private static final int OFTEN = 30000;

    private static int number = 5;
    private static String text = "text";
    private static String other = new String("text");
    private static final MethodHandle HANDLED = handle("handled");
    private static final MethodHandle MADE = handle("made");
    private int field = 3;

    @Override
    public void run() throws IOException {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("integer", Integer.class);
        byte[] file = ClassFile.read(Integer.class);
        Probe.bind("file", file);
        tellOfBytecodes(file);
        for (int kind = 0; kind < KINDS.length; kind++) {
            String first = "first_" + KINDS[kind];
            String often = "often_" + KINDS[kind];
            if (Probe.isUsed(first) || Probe.isUsed(often)) {
                Probe.checkpoint(first);
                call(kind);
                Probe.checkpoint("done");
                for (int i = 0; i < OFTEN; i++) {
                    call(kind);
                }
                Probe.checkpoint(often);
                Probe.fact(KINDS[kind], call(kind));
                Probe.checkpoint("done");
            }
        }
    }

    /** Which of the methods of the class library have instructions, and whether those of one begin as the case about it expects. */
    private static void tellOfBytecodes(byte[] integer) {
        Probe.fact("bitCount.bytecodes", Bytecodes.of(Integer.class, "bitCount", int.class));
        Probe.fact("reverseBytes.bytecodes", Bytecodes.of(Integer.class, "reverseBytes", int.class));
        Probe.fact("max.bytecodes", Bytecodes.of(Math.class, "max", int.class, int.class));
        Probe.fact("addExact.bytecodes", Bytecodes.of(Math.class, "addExact", int.class, int.class));
        Probe.fact("multiplyExact.bytecodes", Bytecodes.of(Math.class, "multiplyExact", int.class, int.class));
        Probe.fact("equals.bytecodes", Bytecodes.of(String.class, "equals", Object.class));
        Probe.fact("equalArrays.bytecodes", Bytecodes.of(Arrays.class, "equals", char[].class, char[].class));
        Probe.fact("append.bytecodes", Bytecodes.of(StringBuilder.class, "append", String.class));
        Probe.fact("boxed.bytecodes", Bytecodes.of(Integer.class, "valueOf", int.class));
        Probe.fact("bits.bytecodes", Bytecodes.of(Float.class, "floatToIntBits", float.class));
        String instructions = new String(integer, StandardCharsets.ISO_8859_1);
        Probe.fact("bitCount.known", instructions.contains("\u001a\u001a\u0004|") ? 1 : 0);
    }

    private int call(int kind) {
        switch (kind) {
            case 0: return callConstant();
            case 1: return callGetter();
            case 2: return callSetter();
            case 3: return callBitCount();
            case 4: return callReverseBytes();
            case 5: return callMax();
            case 6: return callAddExact();
            case 7: return callMultiplyExact();
            case 8: return callEquals();
            case 9: return callEqualArrays();
            case 10: return callAppend();
            case 11: return callBoxed();
            case 12: return callBits();
            case 13: return callHandled();
            default: return callMade();
        }
    }

    private static int callConstant() {
        return constant();
    }

    private int callGetter() {
        return getter();
    }

    private int callSetter() {
        setter(number);
        return field;
    }

    private static int callBitCount() {
        return Integer.bitCount(number);
    }

    private static int callReverseBytes() {
        return Integer.reverseBytes(number);
    }

    private static int callMax() {
        return Math.max(number, 4);
    }

    private static int callAddExact() {
        return Math.addExact(number, 1);
    }

    private static int callMultiplyExact() {
        return Math.multiplyExact(number, 2);
    }

    private static int callEquals() {
        return text.equals(other) ? 1 : 0;
    }

    private static int callEqualArrays() {
        return Arrays.equals(new char[number], new char[number]) ? 1 : 0;
    }

    private static int callAppend() {
        return new StringBuilder().append(text).append(other).toString().length();
    }

    private static int callBoxed() {
        Integer boxed = number;
        return boxed + 1;
    }

    private static int callBits() {
        return Float.floatToIntBits(number);
    }

    private static int callHandled() {
        try {
            return (int) HANDLED.invokeExact(number);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static int callMade() {
        try {
            return ((Made) MADE.invokeExact(number)).number;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static MethodHandle handle(String what) {
        try {
            return what.equals("handled")
                    ? MethodHandles.lookup().findStatic(SmallMethods.class, what, MethodType.methodType(int.class, int.class))
                    : MethodHandles.lookup().findConstructor(Made.class, MethodType.methodType(void.class, int.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    static int handled(int value) {
        return value + 2;
    }

    static int constant() {
        return 7;
    }

    int getter() {
        return field;
    }

    void setter(int value) {
        field = value;
    }

    /** A class whose constructor a method handle calls. */
    static final class Made {
        final int number;

        Made(int value) {
            number = value + 3;
        }
    }
}
