package jvmticheck.scenarios;

import java.io.DataOutputStream;
import java.io.IOException;

/** Writes entries of constant pools. */
final class ConstantPool {
    private ConstantPool() {
    }

    /** A text. */
    static void text(DataOutputStream out, String text) throws IOException {
        out.writeByte(1);
        out.writeUTF(text);
    }

    /** An entry of that kind that consists of the index of another one. */
    static void reference(DataOutputStream out, int tag, int index) throws IOException {
        out.writeByte(tag);
        out.writeShort(index);
    }

    /** An entry of that kind that consists of the indices of two others. */
    static void pair(DataOutputStream out, int tag, int one, int other) throws IOException {
        reference(out, tag, one);
        out.writeShort(other);
    }
}
