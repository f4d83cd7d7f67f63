package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that is new in each run, of a version of class files that had subroutines. Its method calls the same subroutine from two
 * places, with an object or with a number in a variable that the subroutine leaves alone, and returns the object.
 */
public final class Subroutines implements Scenario {
    private static final String NAME = "jvmticheck/scenarios/Subroutines$Old";
    private static final String OBJECT = "Ljava/lang/Object;";
    private static final int VARIABLE = 2;

    @Override
    public void run() throws Exception {
        Object object = new Object();
        Object other = new Object();
        Probe.bind("object", object);
        Probe.bind("other", other);
        Class<?> type = new FreshLoader(Subroutines.class).define(null, file());
        Object returned = type.getMethod("pass", Object.class, int.class).invoke(null, object, 1);
        Probe.fact("returned", returned == object ? "object" : returned == other ? "other" : String.valueOf(returned));
    }

    /** What the method calls after the subroutine, while the object is in the variable. */
    public static void reach() {
        Probe.checkpoint("after_subroutine");
    }

    private static byte[] file() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(48);
        String[] texts = {NAME, "java/lang/Object", "jvmticheck/scenarios/Subroutines", "pass", "(" + OBJECT + "I)" + OBJECT, "Code",
            "LocalVariableTable", "variable", OBJECT, "reach", "()V"};
        out.writeShort(texts.length + 6);
        for (String each : texts) {
            ConstantPool.text(out, each);
        }
        ConstantPool.reference(out, 7, 1);
        ConstantPool.reference(out, 7, 2);
        ConstantPool.reference(out, 7, 3);
        out.writeByte(12);
        out.writeShort(10);
        out.writeShort(11);
        out.writeByte(10);
        out.writeShort(14);
        out.writeShort(15);
        out.writeShort(0x21);
        out.writeShort(12);
        out.writeShort(13);
        out.writeInt(0);
        out.writeShort(1);
        method(out);
        out.writeShort(0);
        return bytes.toByteArray();
    }

    private static void method(DataOutputStream out) throws IOException {
        int[] code = {
            0x1b, 0x99, 0, 13, // iload_1, ifeq 14
            0x2a, 0x4d, 0xa8, 0, 17, // aload_0, astore_2, jsr 23
            0xb8, 0, 16, 0x2c, 0xb0, // invokestatic reach, aload_2, areturn
            0x08, 0x3d, 0xa8, 0, 7, // iconst_5, istore_2, jsr 23
            0x1c, 0x57, 0x01, 0xb0, // iload_2, pop, aconst_null, areturn
            0x4e, 0xa9, 3, // the subroutine: astore_3, ret 3
        };
        out.writeShort(9);
        out.writeShort(4);
        out.writeShort(5);
        out.writeShort(1);
        out.writeShort(6);
        out.writeInt(12 + code.length + 18);
        out.writeShort(1);
        out.writeShort(4);
        out.writeInt(code.length);
        for (int each : code) {
            out.writeByte(each);
        }
        out.writeShort(0);
        out.writeShort(1);
        out.writeShort(7);
        out.writeInt(12);
        out.writeShort(1);
        out.writeShort(6);
        out.writeShort(7);
        out.writeShort(8);
        out.writeShort(9);
        out.writeShort(VARIABLE);
    }
}
