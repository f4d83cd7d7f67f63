package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Calls methods, each the only one of its class, whose instructions of interest are behind hundreds or tens of thousands of others, and whose
 * local variables have slots above 255.
 */
public final class Far implements Scenario {
    /** What follows the instructions that do nothing. */
    private static final int[] CODE = {
        0x10, 7, 0xb3, 0, 11,                 // 0: bipush 7, 2: putstatic field
        0xb2, 0, 11, 0xc4, 0x36, 1, 44,       // 5: getstatic field, 8: wide istore 300
        0x0a, 0xc4, 0x37, 1, 45,              // 12: lconst_1, 13: wide lstore 301
        0x0d, 0xc4, 0x38, 1, 47,              // 17: fconst_2, 18: wide fstore 303
        0x0f, 0xc4, 0x39, 1, 48,              // 22: dconst_1, 23: wide dstore 304
        0x12, 19, 0x59, 0xc4, 0x3a, 1, 50,    // 27: ldc of the name, 29: dup, 30: wide astore 306
        0xb8, 0, 17,                          // 34: invokestatic Probe.checkpoint
        0x01, 0xbf,                           // 37: aconst_null, 38: athrow
        0x57, 0xb1,                           // 39: pop, in the handler of 37 and 38, 40: return
    };

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        call("near", 300);
        call("far", 40000);
    }

    private static void call(String name, int padding) throws Exception {
        String type = Far.class.getName() + '$' + name;
        Class<?> made = new FreshLoader(Far.class).define(type, file(type.replace('.', '/'), name, padding));
        Class.forName(type, true, made.getClassLoader());
        Probe.bind(name, made);
        Probe.checkpoint(name + "_before");
        made.getMethod("go").invoke(null);
        Probe.checkpoint(name + "_after");
    }

    private static byte[] file(String type, String name, int padding) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(49);
        out.writeShort(20);
        ConstantPool.text(out, type);
        ConstantPool.reference(out, 7, 1);
        ConstantPool.text(out, "java/lang/Object");
        ConstantPool.reference(out, 7, 3);
        ConstantPool.text(out, "go");
        ConstantPool.text(out, "()V");
        ConstantPool.text(out, "Code");
        ConstantPool.text(out, "field");
        ConstantPool.text(out, "I");
        ConstantPool.pair(out, 12, 8, 9);
        ConstantPool.pair(out, 9, 2, 10);
        ConstantPool.text(out, "jvmticheck/Probe");
        ConstantPool.reference(out, 7, 12);
        ConstantPool.text(out, "checkpoint");
        ConstantPool.text(out, "(Ljava/lang/String;)V");
        ConstantPool.pair(out, 12, 14, 15);
        ConstantPool.pair(out, 10, 13, 16);
        ConstantPool.text(out, name);
        ConstantPool.reference(out, 8, 18);
        // A public class, abstract for want of a constructor, without interfaces; its public static field; its public static method.
        shorts(out, 0x421, 2, 4, 0);
        shorts(out, 1, 9, 8, 9, 0);
        shorts(out, 1, 9, 5, 6, 1, 7);
        int length = padding + CODE.length;
        out.writeInt(20 + length);
        shorts(out, 2, 400);
        out.writeInt(length);
        out.write(new byte[padding]);
        for (int code : CODE) {
            out.writeByte(code);
        }
        shorts(out, 1, padding + 37, padding + 39, padding + 39, 0);
        shorts(out, 0, 0);
        return bytes.toByteArray();
    }

    private static void shorts(DataOutputStream out, int... numbers) throws IOException {
        for (int number : numbers) {
            out.writeShort(number);
        }
    }
}
