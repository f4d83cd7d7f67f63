package jvmticheck.scenarios;

import java.io.DataOutputStream;
import java.io.IOException;

/** Writes methods into class files that load a constant again and again. */
final class LoadingMethod {
    private LoadingMethod() {
    }

    /**
     * A public static method whose descriptor and the name of whose code attribute are the constants 4 and 5: it loads constant 9 so often,
     * and returns the other one.
     */
    static void write(DataOutputStream out, int name, int loads, int returned) throws IOException {
        out.writeShort(9);
        out.writeShort(name);
        out.writeShort(4);
        out.writeShort(1);
        out.writeShort(5);
        out.writeInt(12 + 3 * loads + 4);
        out.writeShort(1);
        out.writeShort(0);
        out.writeInt(3 * loads + 4);
        for (int i = 0; i < loads; i++) {
            // ldc, pop
            out.write(new byte[] {0x12, 9, 0x57});
        }
        // ldc_w, areturn
        ConstantPool.reference(out, 0x13, returned);
        out.writeByte(0xb0);
        out.writeShort(0);
        out.writeShort(0);
    }
}
