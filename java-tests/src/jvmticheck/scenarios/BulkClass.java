package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * Writes the class file of a class with many methods, `m0` and so on, that do nothing; and, if it is asked to, with a static method `walk`,
 * which calls all of them for the instance of the class that it is given. JVMS, chapter 4.
 */
final class BulkClass {
    private static final int PUBLIC = 1;
    private static final int STATIC = 8;
    /** The index of the constant that is the name of the first method. */
    private static final int NAMES = 12;
    private static final byte[] RETURN = {(byte) 0xb1};
    /** `aload_0`, `invokespecial` of the constructor that is constant 9, `return`. */
    private static final byte[] CONSTRUCTOR = {0x2a, (byte) 0xb7, 0, 9, (byte) 0xb1};

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream out = new DataOutputStream(bytes);

    private BulkClass() {
    }

    static byte[] file(String name, String superclass, int methods, boolean walks) throws IOException {
        return new BulkClass().write(name, superclass, methods, walks);
    }

    private byte[] write(String name, String superclass, int methods, boolean walks) throws IOException {
        out.writeInt(0xcafebabe);
        out.writeInt(49);
        out.writeShort(NAMES + 3 * methods);
        text(name);
        constant(7, 1);
        text(superclass);
        constant(7, 3);
        text("Code");
        text("()V");
        text("<init>");
        constant(12, 7, 6);
        constant(10, 4, 8);
        text("walk");
        text("(L" + name + ";)V");
        for (int i = 0; i < methods; i++) {
            text("m" + i);
        }
        for (int i = 0; i < methods; i++) {
            constant(12, NAMES + i, 6);
            constant(10, 2, NAMES + methods + 2 * i);
        }
        out.writeShort(0x21);
        out.writeShort(2);
        out.writeShort(4);
        out.writeInt(0);
        out.writeShort(methods + (walks ? 2 : 1));
        method(PUBLIC, 7, 6, CONSTRUCTOR);
        for (int i = 0; i < methods; i++) {
            method(PUBLIC, NAMES + i, 6, RETURN);
        }
        if (walks) {
            method(PUBLIC | STATIC, 10, 11, walk(methods));
        }
        out.writeShort(0);
        return bytes.toByteArray();
    }

    /** `aload_0` and `invokevirtual` for each method, then `return`. */
    private static byte[] walk(int methods) throws IOException {
        ByteArrayOutputStream code = new ByteArrayOutputStream();
        DataOutputStream to = new DataOutputStream(code);
        for (int i = 0; i < methods; i++) {
            to.writeShort(0x2ab6);
            to.writeShort(NAMES + methods + 2 * i + 1);
        }
        to.write(RETURN);
        return code.toByteArray();
    }

    private void text(String text) throws IOException {
        out.writeByte(1);
        out.writeUTF(text);
    }

    private void constant(int tag, int... indices) throws IOException {
        out.writeByte(tag);
        for (int index : indices) {
            out.writeShort(index);
        }
    }

    private void method(int flags, int name, int descriptor, byte[] code) throws IOException {
        out.writeShort(flags);
        out.writeShort(name);
        out.writeShort(descriptor);
        out.writeShort(1);
        out.writeShort(5);
        out.writeInt(12 + code.length);
        out.writeShort(1);
        out.writeShort(1);
        out.writeInt(code.length);
        out.write(code);
        out.writeInt(0);
    }
}
