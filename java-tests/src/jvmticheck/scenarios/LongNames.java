package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Array;
import java.util.Arrays;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes with names that are almost as long as a class file can say, and the class of arrays of each. */
public final class LongNames implements Scenario {
    /** The longest text of a class file. */
    private static final int LONGEST = 65_535;

    @Override
    public void run() throws Exception {
        bind("shorter", LONGEST - 3);
        bind("longest", LONGEST);
        Probe.checkpoint("ready");
    }

    private static void bind(String name, int length) throws IOException {
        char[] letters = new char[length];
        Arrays.fill(letters, 'n');
        Class<?> type = new FreshLoader(LongNames.class).define(null, file(new String(letters)));
        Probe.bind(name, type);
        // Some JVMs never return from this.
        if (Probe.isUsed(name + "_array")) {
            Probe.bind(name + "_array", Array.newInstance(type, 0).getClass());
        }
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
