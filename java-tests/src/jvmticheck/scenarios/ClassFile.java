package jvmticheck.scenarios;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the class file of a class says, as far as JVM TI functions return it. JVMS, chapter 4. */
final class ClassFile {
    final byte[] bytes;
    int minor;
    int major;
    int constants;
    /** The offset of the count of the class's fields. */
    final int fieldsAt;
    /** The offset of the count of the class's attributes. */
    final int attributesAt;
    String sourceFile;
    final Map<String, Code> methods = new LinkedHashMap<String, Code>();
    final List<String> fields = new ArrayList<String>();
    /** All methods, also those of the same name. */
    final List<Member> declared = new ArrayList<Member>();
    private Object[] pool;

    /** A field or a method, which may share its name with others. */
    static final class Member {
        int modifiers;
        String name;
        String descriptor;
    }

    /** The `Code` attribute of a method; `null` for whatever the method does not have. */
    static final class Code {
        int maxLocals;
        byte[] bytes;
        /** Pairs of a location and a line. */
        int[][] lines;
        /** The location, length and slot of each variable. */
        int[][] variables;
        String[] variableNames;
        String[] variableSignatures;
    }

    ClassFile(Class<?> type) throws IOException {
        this(read(type));
    }

    ClassFile(byte[] bytes) throws IOException {
        this.bytes = bytes;
        ByteArrayInputStream all = new ByteArrayInputStream(bytes);
        DataInputStream in = new DataInputStream(all);
        in.readInt();
        minor = in.readUnsignedShort();
        major = in.readUnsignedShort();
        readPool(in);
        in.skipBytes(6);
        in.skipBytes(2 * in.readUnsignedShort());
        fieldsAt = bytes.length - all.available();
        readMembers(in, false);
        readMembers(in, true);
        attributesAt = bytes.length - all.available();
        for (int n = in.readUnsignedShort(); n > 0; n--) {
            String name = text(in.readUnsignedShort());
            int length = in.readInt();
            if (name.equals("SourceFile")) {
                sourceFile = text(in.readUnsignedShort());
            } else {
                in.skipBytes(length);
            }
        }
    }

    /** The index of the constant that names the class, such as `java/lang/Object`; 0 if there is none. */
    int classConstant(String name) {
        for (int i = 1; i < constants; i++) {
            if (pool[i] instanceof Integer && text((Integer) pool[i]).equals(name)) {
                return i;
            }
        }
        return 0;
    }

    /** The bytes of the class file of a class. */
    static byte[] read(Class<?> type) throws IOException {
        String name = type.getName();
        return all(type.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class"));
    }

    /** All that a stream has, which is then closed. */
    static byte[] all(InputStream stream) throws IOException {
        try (InputStream in = stream) {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[8192];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
            return out.toByteArray();
        }
    }

    private String text(int index) {
        return (String) pool[index];
    }

    private void readPool(DataInputStream in) throws IOException {
        constants = in.readUnsignedShort();
        pool = new Object[constants];
        for (int i = 1; i < constants; i++) {
            int tag = in.readUnsignedByte();
            switch (tag) {
                case 1:
                    pool[i] = in.readUTF();
                    break;
                case 5:
                case 6:
                    in.skipBytes(8);
                    i++;
                    break;
                case 7:
                    pool[i] = in.readUnsignedShort();
                    break;
                case 8:
                case 16:
                    in.skipBytes(2);
                    break;
                case 15:
                    in.skipBytes(3);
                    break;
                default:
                    in.skipBytes(4);
                    break;
            }
        }
    }

    private void readMembers(DataInputStream in, boolean methodsRead) throws IOException {
        for (int n = in.readUnsignedShort(); n > 0; n--) {
            Member member = new Member();
            member.modifiers = in.readUnsignedShort();
            member.name = text(in.readUnsignedShort());
            member.descriptor = text(in.readUnsignedShort());
            Code code = null;
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                String attribute = text(in.readUnsignedShort());
                byte[] content = new byte[in.readInt()];
                in.readFully(content);
                if (attribute.equals("Code")) {
                    code = readCode(content);
                }
            }
            if (methodsRead) {
                methods.put(member.name, code);
                declared.add(member);
            } else {
                fields.add(member.name);
            }
        }
    }

    private Code readCode(byte[] content) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(content));
        Code code = new Code();
        in.readUnsignedShort();
        code.maxLocals = in.readUnsignedShort();
        code.bytes = new byte[in.readInt()];
        in.readFully(code.bytes);
        in.skipBytes(8 * in.readUnsignedShort());
        for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
            String attribute = text(in.readUnsignedShort());
            int length = in.readInt();
            if (attribute.equals("LineNumberTable")) {
                code.lines = new int[in.readUnsignedShort()][];
                for (int i = 0; i < code.lines.length; i++) {
                    code.lines[i] = new int[] {in.readUnsignedShort(), in.readUnsignedShort()};
                }
            } else if (attribute.equals("LocalVariableTable")) {
                readVariables(in, code);
            } else {
                in.skipBytes(length);
            }
        }
        return code;
    }

    private void readVariables(DataInputStream in, Code code) throws IOException {
        int count = in.readUnsignedShort();
        code.variables = new int[count][];
        code.variableNames = new String[count];
        code.variableSignatures = new String[count];
        for (int i = 0; i < count; i++) {
            int start = in.readUnsignedShort();
            int length = in.readUnsignedShort();
            code.variableNames[i] = text(in.readUnsignedShort());
            code.variableSignatures[i] = text(in.readUnsignedShort());
            code.variables[i] = new int[] {start, length, in.readUnsignedShort()};
        }
    }
}
