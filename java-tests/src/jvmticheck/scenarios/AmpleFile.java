package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes the class file of an abstract class that has much of everything: constants, interfaces, fields, methods, arguments, bytecodes, lines
 * and variables. JVMS, chapter 4.
 */
final class AmpleFile {
    static final int INTERFACES = 300;
    private static final int MEMBERS = 5000;
    private static final int CONSTANTS = 20000;
    private static final int CODE = 40000;
    private static final int LINES = 600;
    private static final int VARIABLES = 300;
    private static final int LOCALS = 65535;
    private static final int ABSTRACT = 0x401;
    private static final int STATIC = 9;
    private static final String LIST = "Ljava/util/List<Ljava/lang/String;>;";
    private static final String[] TYPES = {"I", "J", "[[D", "Ljava/lang/Object;", "Z", "D", "[[[Ljava/lang/String;", "Ljava/util/List;"};
    /** Public or package-private and static, final, volatile, transient, synthetic or of an enumeration. */
    private static final int[] FIELD_FLAGS = {1, 9, 0x11, 0x41, 0x81, 0x1001, 0x1009, 0x4019, 0x89, 0};
    /** Public or package-private abstract methods that are bridges, of variable arguments, or synthetic. */
    private static final int[] METHOD_FLAGS = {ABSTRACT, 0x441, 0x481, 0x1401, 0x1441, 0x404, 0x400};

    private final ByteArrayOutputStream poolBytes = new ByteArrayOutputStream();
    private final DataOutputStream pool = new DataOutputStream(poolBytes);
    private final Map<String, Integer> known = new HashMap<String, Integer>();
    private int constants = 1;
    private final ByteArrayOutputStream bodyBytes = new ByteArrayOutputStream();
    private final DataOutputStream body = new DataOutputStream(bodyBytes);

    private AmpleFile() {
    }

    /** Class file of an interface without members. */
    static byte[] plainInterface(String name) throws IOException {
        AmpleFile file = new AmpleFile();
        file.body.writeShort(0x601);
        file.body.writeShort(file.type(name));
        file.body.writeShort(file.type("java/lang/Object"));
        file.body.writeLong(0);
        return file.whole(0, 50);
    }

    /** Class file of the class. Its interfaces are called as it is, and have a number each. */
    static byte[] of(String name) throws IOException {
        return new AmpleFile().write(name);
    }

    private byte[] write(String name) throws IOException {
        for (int i = 0; i < CONSTANTS; i++) {
            number(i);
        }
        body.writeShort(0x421);
        body.writeShort(type(name));
        body.writeShort(type("java/lang/Object"));
        body.writeShort(INTERFACES);
        for (int i = 0; i < INTERFACES; i++) {
            body.writeShort(type(name + i));
        }
        body.writeShort(MEMBERS);
        for (int i = 0; i < MEMBERS; i++) {
            String type = TYPES[i % TYPES.length];
            String generic = type.equals("Ljava/util/List;") ? LIST : null;
            member(FIELD_FLAGS[i % FIELD_FLAGS.length], i == 0 ? LongNames.repeated('f', 60000) : "f" + i, type, generic);
        }
        body.writeShort(MEMBERS + 8);
        for (int i = 0; i < MEMBERS; i++) {
            String result = TYPES[i * 3 % TYPES.length];
            String descriptor = "(" + TYPES[i % TYPES.length] + TYPES[i / 7 % TYPES.length] + ")" + result;
            String generic = result.equals("Ljava/util/List;") ? descriptor.replace("Ljava/util/List;", LIST) : null;
            member(METHOD_FLAGS[i % METHOD_FLAGS.length], i == 0 ? LongNames.repeated('m', 60000) : "m" + i, descriptor, generic);
        }
        member(ABSTRACT, "most", "(" + LongNames.repeated('J', 127) + ")V", null);
        member(ABSTRACT, "mostNumbers", "(" + LongNames.repeated('D', 100) + LongNames.repeated('I', 54) + ")J", null);
        member(0x129, "bound", "(Ljava/util/List;[J)V", "(" + LIST + "[J)V");
        coded(STATIC, "mostStatic", "(" + LongNames.repeated('J', 127) + "I)V", null, new byte[] {(byte) 0xb1}, 255, 0);
        coded(STATIC, "arrays", "([J[[DI)V", null, new byte[] {(byte) 0xb1}, 3, 0);
        coded(8, "<clinit>", "()V", null, new byte[] {0, 0, (byte) 0xb1}, 0, 3);
        coded(1, "<init>", "(Ljava/util/List;)V", "(" + LIST + ")V",
            new byte[] {0x2a, (byte) 0xb7, (byte) (superConstructor() >> 8), (byte) superConstructor(), (byte) 0xb1}, 2, 1);
        byte[] large = new byte[CODE];
        large[CODE - 1] = (byte) 0xb1;
        coded(STATIC, "large", "()V", null, large, LOCALS, LINES);
        body.writeShort(2);
        body.writeShort(text("SourceFile"));
        body.writeInt(2);
        body.writeShort(text(LongNames.repeated('\u0444', 300) + ".java"));
        byte[] extension = new byte[70000];
        Arrays.fill(extension, (byte) 'e');
        body.writeShort(text("SourceDebugExtension"));
        body.writeInt(extension.length);
        body.write(extension);
        return whole(40000, 50);
    }

    private byte[] whole(int minor, int major) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeShort(minor);
        out.writeShort(major);
        out.writeShort(constants);
        poolBytes.writeTo(out);
        bodyBytes.writeTo(out);
        return bytes.toByteArray();
    }

    private void member(int flags, String name, String descriptor, String generic) throws IOException {
        begin(flags, name, descriptor, generic, generic == null ? 0 : 1);
    }

    private void begin(int flags, String name, String descriptor, String generic, int attributes) throws IOException {
        body.writeShort(flags);
        body.writeShort(text(name));
        body.writeShort(text(descriptor));
        body.writeShort(attributes);
        if (generic != null) {
            body.writeShort(text("Signature"));
            body.writeInt(2);
            body.writeShort(text(generic));
        }
    }

    /** A method with code, of which so many lines are known, and for that many locals variables. */
    private void coded(int flags, String name, String descriptor, String generic, byte[] code, int locals, int lines) throws IOException {
        begin(flags, name, descriptor, generic, generic == null ? 1 : 2);
        boolean variables = locals == LOCALS;
        int tables = lines == 0 ? 0 : 8 + 4 * lines;
        tables += variables ? 16 + 10 * VARIABLES + 10 * (VARIABLES / 4) : 0;
        body.writeShort(text("Code"));
        body.writeInt(12 + code.length + tables);
        body.writeShort(2);
        body.writeShort(locals);
        body.writeInt(code.length);
        body.write(code);
        body.writeShort(0);
        body.writeShort((lines == 0 ? 0 : 1) + (variables ? 2 : 0));
        if (lines != 0) {
            body.writeShort(text("LineNumberTable"));
            body.writeInt(2 + 4 * lines);
            body.writeShort(lines);
            for (int i = 0; i < lines; i++) {
                body.writeShort((int) ((long) i * code.length / lines));
                // Some lines occur twice, and numbers fall and rise.
                body.writeShort(i % 5 == 4 ? 7 : 1 + i * 109);
            }
        }
        if (variables) {
            variables("LocalVariableTable", 1);
            variables("LocalVariableTypeTable", 4);
        }
    }

    private void variables(String table, int each) throws IOException {
        body.writeShort(text(table));
        body.writeInt(2 + 10 * (VARIABLES / each));
        body.writeShort(VARIABLES / each);
        for (int i = 0; i < VARIABLES; i += each) {
            body.writeShort(i);
            body.writeShort(i == 9 ? 0 : CODE - 2 * i);
            body.writeShort(text("v" + i));
            body.writeShort(text(each == 1 ? i % 4 == 0 ? "Ljava/util/List;" : TYPES[i % 4] : LIST));
            body.writeShort(i * 218);
        }
    }

    private int superConstructor() throws IOException {
        Integer index = known.get("super");
        if (index == null) {
            int type = type("java/lang/Object");
            int name = text("<init>");
            int descriptor = text("()V");
            pool.writeByte(12);
            pool.writeShort(name);
            pool.writeShort(descriptor);
            pool.writeByte(10);
            pool.writeShort(type);
            pool.writeShort(constants++);
            index = constants++;
            known.put("super", index);
        }
        return index;
    }

    /** A long, which takes two indices, or an int. */
    private void number(int i) throws IOException {
        if (i % 3 == 0) {
            pool.writeByte(5);
            pool.writeLong(i);
            constants += 2;
        } else {
            pool.writeByte(3);
            pool.writeInt(i);
            constants++;
        }
    }

    private int text(String text) throws IOException {
        Integer index = known.get('u' + text);
        if (index == null) {
            ConstantPool.text(pool, text);
            index = constants++;
            known.put('u' + text, index);
        }
        return index;
    }

    private int type(String name) throws IOException {
        Integer index = known.get('c' + name);
        if (index == null) {
            int text = text(name);
            ConstantPool.reference(pool, 7, text);
            index = constants++;
            known.put('c' + name, index);
        }
        return index;
    }
}
