package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Classes that are new in each run, with versions of their class files that come close to limits of the format, which they keep: the
 * instructions of a method take almost 65535 bytes, or a class has almost 65535 constants.
 */
public final class Packed implements Scenario {
    private static final String NAME = "jvmticheck/scenarios/Packed$Version";
    /** The longest method consists of so many loaded texts. */
    private static final int LOADS = 21_800;

    @Override
    public void run() throws Exception {
        byte[] brief = file("first", 0, 300, 0);
        byte[] full = file("first", 0, 65_200, 0);
        Class<?> code = new FreshLoader(Packed.class).define(null, brief);
        Class<?> pool = new FreshLoader(Packed.class).define(null, full);
        Probe.bind("code", code);
        Probe.bind("code_file", file("second", 1_000_000, 0, LOADS));
        Probe.bind("pool", pool);
        Probe.bind("pool_file", file("second", 1_000_000, 400, 0));
        Probe.fact("before", Answer.of(code) + " " + Answer.of(pool));
        Probe.checkpoint("ready");
        Probe.fact("code.after", Answer.of(code));
        Probe.fact("pool.after", Answer.of(pool));
        Probe.checkpoint("after");
    }

    /** A class file with a method `answer` that loads this text so often, and returns it, and with so many numbers as constants. */
    private static byte[] file(String text, int first, int numbers, int loads) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(50);
        String[] texts = {NAME, "java/lang/Object", "answer", "()Ljava/lang/String;", "Code"};
        out.writeShort(texts.length + 2 + numbers + 3);
        for (String each : texts) {
            ConstantPool.text(out, each);
        }
        ConstantPool.reference(out, 7, 1);
        ConstantPool.reference(out, 7, 2);
        for (int i = 0; i < numbers; i++) {
            out.writeByte(3);
            out.writeInt(first + i);
        }
        ConstantPool.text(out, text);
        ConstantPool.reference(out, 8, 8 + numbers);
        out.writeShort(0x21);
        out.writeShort(6);
        out.writeShort(7);
        out.writeShort(0);
        out.writeShort(0);
        out.writeShort(1);
        LoadingMethod.write(out, 3, loads, 9 + numbers);
        out.writeShort(0);
        return bytes.toByteArray();
    }
}
