package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.util.Arrays;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes with names that are almost as long as a class file can say, and an array class. */
public final class LongNames implements Scenario {
    /** The longest text of a class file. */
    private static final int LONGEST = 65_535;

    @Override
    public void run() throws Exception {
        Class<?> shorter = define(LONGEST - 3);
        Probe.bind("shorter", shorter);
        Probe.bind("shorter_array", Array.newInstance(shorter, 0).getClass());
        Probe.bind("longest", define(LONGEST));
        Probe.checkpoint("ready");
    }

    private static Class<?> define(int length) throws IOException {
        return new FreshLoader(LongNames.class).define(null, file(repeated('n', length)));
    }

    /** That letter so many times. */
    static String repeated(char letter, int times) {
        char[] letters = new char[times];
        Arrays.fill(letters, letter);
        return new String(letters);
    }

    private static byte[] file(String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(50);
        out.writeShort(5);
        ConstantPool.text(out, name);
        ConstantPool.text(out, "java/lang/Object");
        ConstantPool.reference(out, 7, 1);
        ConstantPool.reference(out, 7, 2);
        out.writeShort(0x21);
        out.writeShort(3);
        out.writeShort(4);
        out.writeInt(0);
        out.writeInt(0);
        return bytes.toByteArray();
    }
}
