package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Calls methods that a JVM may execute in other ways than by their instructions, each once or more. */
public final class Intrinsics implements Scenario, Cloneable {
    /** Code of five bytes that returns a field: `aload_0`, `getfield`, `areturn`. */
    private static final Pattern GETTER = Pattern.compile("\\x00\\x00\\x00\\x05\\x2a\\xb4..\\xb0", Pattern.DOTALL);
    private static double sum;
    private static Object kept;
    private int field = 3;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        byte[] bytes = {1, 2, 3};
        Reference<Object> reference = new WeakReference<Object>(bytes);
        CRC32 checksum = new CRC32();
        Probe.checkpoint("before");
        mathematics(0.5);
        sum += Float.floatToRawIntBits((float) sum) + Double.doubleToRawLongBits(sum);
        kept = reference.get();
        kept = Thread.currentThread();
        sum += bytes.hashCode() + System.identityHashCode(bytes);
        kept = bytes.getClass();
        // An array may have a method of its own of that name.
        kept = super.clone();
        System.arraycopy(bytes, 0, bytes, 1, 1);
        checksum.update(7);
        checksum.update(bytes, 0, bytes.length);
        sum += accessor();
        empty();
        Probe.checkpoint("after");
        Probe.fact("called", 1);
        // The native method that the methods of CRC32's API use in the JDK.
        Probe.fact("updates", Bytecodes.isNative(CRC32.class, "update", int.class, int.class) ? 1 : 0);
        tellOfBytecodes();
    }

    /** Which of the methods have instructions; and whether a weak reference is asked by the method that other references have. */
    private static void tellOfBytecodes() throws IOException {
        boolean ofReference = !Bytecodes.declares(WeakReference.class, "get");
        Probe.fact("get.called", ofReference ? 1 : 0);
        Probe.fact("get.bytecodes", ofReference ? Bytecodes.of(Reference.class, "get") : 0);
        String instructions = new String(ClassFile.read(Reference.class), StandardCharsets.ISO_8859_1);
        Probe.fact("get.field", ofReference && GETTER.matcher(instructions).find() ? 1 : 0);
        for (String name : new String[] {"sin", "exp", "sqrt", "abs"}) {
            Probe.fact(name + ".bytecodes", Bytecodes.of(Math.class, name, double.class));
        }
        Probe.fact("pow.bytecodes", Bytecodes.of(Math.class, "pow", double.class, double.class));
    }

    private static void mathematics(double number) {
        sum += Math.sin(number);
        sum += Math.cos(number);
        sum += Math.tan(number);
        sum += Math.abs(number);
        sum += Math.sqrt(number);
        sum += Math.log(number);
        sum += Math.log10(number);
        sum += Math.exp(number);
        sum += Math.pow(number, number);
    }

    int accessor() {
        return field;
    }

    void empty() {
    }
}
