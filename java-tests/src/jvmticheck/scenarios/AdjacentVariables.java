package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that is new in each run, with a method whose code uses one slot for a number and then for an object. The range of the one
 * variable ends where that of the other one begins.
 */
public final class AdjacentVariables implements Scenario {
    private static final String NAME = "jvmticheck/scenarios/AdjacentVariables$Made";
    private static final String OBJECT = "Ljava/lang/Object;";
    private static final int SLOT = 1;

    @Override
    public void run() throws Exception {
        Object object = new Object();
        Object other = new Object();
        Probe.bind("object", object);
        Probe.bind("other", other);
        Class<?> type = new FreshLoader(AdjacentVariables.class).define(null, file());
        Object returned = type.getMethod("pass", Object.class).invoke(null, object);
        Probe.fact("returned", returned == object ? "object" : returned == other ? "other" : String.valueOf(returned));
    }

    /** What the method calls first of all while the object is in the slot. */
    public static void reach() {
        Probe.checkpoint("stored");
    }

    private static byte[] file() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(48);
        String[] texts = {NAME, "java/lang/Object", "jvmticheck/scenarios/AdjacentVariables", "pass", "(" + OBJECT + ")" + OBJECT, "Code",
            "LocalVariableTable", "object", OBJECT, "reach", "()V", "number", "I"};
        out.writeShort(texts.length + 6);
        for (String each : texts) {
            ConstantPool.text(out, each);
        }
        ConstantPool.reference(out, 7, 1);
        ConstantPool.reference(out, 7, 2);
        ConstantPool.reference(out, 7, 3);
        ConstantPool.pair(out, 12, 10, 11);
        ConstantPool.pair(out, 10, 16, 17);
        out.writeShort(0x21);
        out.writeShort(14);
        out.writeShort(15);
        out.writeInt(0);
        out.writeShort(1);
        method(out);
        out.writeShort(0);
        return bytes.toByteArray();
    }

    private static void method(DataOutputStream out) throws IOException {
        int[] code = {
            0x08, 0x3c, // iconst_5, istore_1
            0, 0x2a, 0x4c, // nop, aload_0, astore_1
            0xb8, 0, 18, 0x2b, 0xb0, // invokestatic reach, aload_1, areturn
        };
        out.writeShort(9);
        out.writeShort(4);
        out.writeShort(5);
        out.writeShort(1);
        out.writeShort(6);
        out.writeInt(12 + code.length + 28);
        out.writeShort(1);
        out.writeShort(2);
        out.writeInt(code.length);
        for (int each : code) {
            out.writeByte(each);
        }
        out.writeShort(0);
        out.writeShort(1);
        out.writeShort(7);
        out.writeInt(22);
        out.writeShort(2);
        variable(out, 2, 3, 12, 13);
        variable(out, 5, 5, 8, 9);
    }

    private static void variable(DataOutputStream out, int start, int length, int name, int type) throws IOException {
        out.writeShort(start);
        out.writeShort(length);
        out.writeShort(name);
        out.writeShort(type);
        out.writeShort(SLOT);
    }
}
