package jvmticheck.scenarios;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Another version of a class file: replaces constants, changes flags and the version, adds attributes. JVMS, chapter 4. */
final class EditedClass {
    /** Each constant with its tag; `null` at 0 and after a `long` or `double`. */
    private final List<byte[]> constants = new ArrayList<byte[]>();
    /** The bytes from the access flags to the class's attributes. */
    private final byte[] body;
    private final byte[] attributes;
    private final ByteArrayOutputStream added = new ByteArrayOutputStream();
    private int attributesAdded;
    private int major;

    EditedClass(Class<?> type) throws IOException {
        this(new ClassFile(type));
    }

    EditedClass(ClassFile file) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(file.bytes));
        in.skipBytes(6);
        major = in.readUnsignedShort();
        constants.add(null);
        for (int i = in.readUnsignedShort() - 1; i > 0; i--) {
            byte tag = in.readByte();
            in.mark(2);
            int length = tag == 1 ? 2 + in.readUnsignedShort() : lengthOf(tag);
            if (tag == 1) {
                in.reset();
            }
            byte[] constant = new byte[1 + length];
            constant[0] = tag;
            in.readFully(constant, 1, length);
            constants.add(constant);
            if (tag == 5 || tag == 6) {
                constants.add(null);
                i--;
            }
        }
        body = new byte[file.attributesAt - (file.bytes.length - in.available())];
        in.readFully(body);
        attributes = new byte[in.available()];
        in.readFully(attributes);
    }

    private static int lengthOf(byte tag) {
        switch (tag) {
            case 5:
            case 6:
                return 8;
            case 7:
            case 8:
            case 16:
            case 19:
            case 20:
                return 2;
            case 15:
                return 3;
            default:
                return 4;
        }
    }

    /** Replaces a text by another one wherever a constant contains it. */
    EditedClass with(String text, String by) throws IOException {
        boolean found = false;
        for (int i = 1; i < constants.size(); i++) {
            byte[] constant = constants.get(i);
            if (constant != null && constant[0] == 1) {
                String value = new DataInputStream(new ByteArrayInputStream(constant, 1, constant.length)).readUTF();
                found |= value.contains(text);
                constants.set(i, utf8(value.replace(text, by)));
            }
        }
        if (!found) {
            throw new IllegalArgumentException(text);
        }
        return this;
    }

    /** Replaces bytes by as many others, once, in what the class declares. */
    EditedClass with(byte[] bytes, byte[] by) {
        for (int i = 0; i + bytes.length <= body.length; i++) {
            int n = 0;
            while (n < bytes.length && body[i + n] == bytes[n]) {
                n++;
            }
            if (n == bytes.length) {
                System.arraycopy(by, 0, body, i, by.length);
                return this;
            }
        }
        throw new IllegalArgumentException("no such bytes");
    }

    /** Sets the access flags. */
    EditedClass withFlags(int flags) {
        body[0] = (byte) (flags >> 8);
        body[1] = (byte) flags;
        return this;
    }

    /** Sets the version of the format to at least this one. */
    EditedClass since(int version) {
        major = Math.max(major, version);
        return this;
    }

    /** Sets the version of the format. */
    EditedClass ofVersion(int version) {
        major = version;
        return this;
    }

    /** Adds a class attribute whose content is these pairs of bytes. */
    EditedClass withAttribute(String name, int... content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int number : content) {
            new DataOutputStream(bytes).writeShort(number);
        }
        return withAttribute(name, bytes.toByteArray());
    }

    /** Adds a class attribute with this content. */
    EditedClass withAttribute(String name, byte[] content) throws IOException {
        DataOutputStream out = new DataOutputStream(added);
        out.writeShort(text(name));
        out.writeInt(content.length);
        out.write(content);
        attributesAdded++;
        return this;
    }

    /** Adds a text constant and returns its index. */
    int text(String value) throws IOException {
        constants.add(utf8(value));
        return constants.size() - 1;
    }

    /** Adds a class constant for the internal name and returns its index. */
    int type(String name) throws IOException {
        int text = text(name);
        constants.add(new byte[] {7, (byte) (text >> 8), (byte) text});
        return constants.size() - 1;
    }

    /** Adds a constant that consists of an index, and returns its index. */
    int constant(int tag, int index) {
        constants.add(new byte[] {(byte) tag, (byte) (index >> 8), (byte) index});
        return constants.size() - 1;
    }

    /** Adds a constant that consists of two indices, and returns its index. */
    int constant(int tag, int first, int second) {
        constants.add(new byte[] {(byte) tag, (byte) (first >> 8), (byte) first, (byte) (second >> 8), (byte) second});
        return constants.size() - 1;
    }

    /** Adds a method handle constant of that kind, and returns its index. */
    int handle(int kind, int member) {
        constants.add(new byte[] {15, (byte) kind, (byte) (member >> 8), (byte) member});
        return constants.size() - 1;
    }

    /** The class file. */
    byte[] bytes() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeShort(0);
        out.writeShort(major);
        out.writeShort(constants.size());
        for (byte[] constant : constants) {
            if (constant != null) {
                out.write(constant);
            }
        }
        out.write(body);
        out.writeShort(((attributes[0] & 0xff) << 8 | attributes[1] & 0xff) + attributesAdded);
        out.write(attributes, 2, attributes.length - 2);
        added.writeTo(out);
        return bytes.toByteArray();
    }

    private static byte[] utf8(String value) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ConstantPool.text(new DataOutputStream(bytes), value);
        return bytes.toByteArray();
    }
}
