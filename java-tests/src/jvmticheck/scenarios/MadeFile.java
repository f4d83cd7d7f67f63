package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** Makes a class file, of version 49, which needs no stack maps. JVMS, chapter 4. */
final class MadeFile {
    static final int PUBLIC = 0x0001;
    static final int STATIC = 0x0008;
    private static final int SUPER = 0x0020;
    private static final int MAGIC = 0xcafebabe;
    private static final int VERSION = 49;
    private static final int UTF8 = 1;
    private static final int CLASS = 7;
    private static final int METHODREF = 10;
    private static final int NAME_AND_TYPE = 12;
    /** The bytes of a Code attribute besides the instructions. */
    private static final int FRAME = 12;

    private final ByteArrayOutputStream constantBytes = new ByteArrayOutputStream();
    private final DataOutputStream constants = new DataOutputStream(constantBytes);
    private final Map<String, Integer> indexes = new HashMap<String, Integer>();
    private final ByteArrayOutputStream methodBytes = new ByteArrayOutputStream();
    private final DataOutputStream methods = new DataOutputStream(methodBytes);
    private int count;

    /** The index of a text. */
    int text(String text) throws IOException {
        Integer known = indexes.get("text " + text);
        if (known != null) {
            return known;
        }
        constants.writeByte(UTF8);
        constants.writeUTF(text);
        return added("text " + text);
    }

    /** The index of a class, whose name has slashes. */
    int type(String name) throws IOException {
        return pair(CLASS, text(name), -1);
    }

    /** The index of a method of a class. */
    int method(String owner, String name, String descriptor) throws IOException {
        int signature = pair(NAME_AND_TYPE, text(name), text(descriptor));
        return pair(METHODREF, type(owner), signature);
    }

    private int pair(int tag, int first, int second) throws IOException {
        String key = tag + " " + first + " " + second;
        Integer known = indexes.get(key);
        if (known != null) {
            return known;
        }
        constants.writeByte(tag);
        constants.writeShort(first);
        if (second >= 0) {
            constants.writeShort(second);
        }
        return added(key);
    }

    private int added(String key) {
        indexes.put(key, indexes.size() + 1);
        return indexes.size();
    }

    /** Adds a method with these instructions, which use as many slots for operands as for variables. */
    MadeFile add(int flags, String name, String descriptor, int slots, byte[] code) throws IOException {
        methods.writeShort(flags);
        methods.writeShort(text(name));
        methods.writeShort(text(descriptor));
        methods.writeShort(1);
        methods.writeShort(text("Code"));
        methods.writeInt(FRAME + code.length);
        methods.writeShort(slots);
        methods.writeShort(slots);
        methods.writeInt(code.length);
        methods.write(code);
        methods.writeInt(0);
        count++;
        return this;
    }

    /** The file of a public class of that name. */
    byte[] bytes(String name, String parent) throws IOException {
        int type = type(name);
        int above = type(parent);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(MAGIC);
        out.writeInt(VERSION);
        out.writeShort(indexes.size() + 1);
        constantBytes.writeTo(out);
        out.writeShort(PUBLIC | SUPER);
        out.writeShort(type);
        out.writeShort(above);
        out.writeInt(0);
        out.writeShort(count);
        methodBytes.writeTo(out);
        out.writeShort(0);
        return bytes.toByteArray();
    }
}
