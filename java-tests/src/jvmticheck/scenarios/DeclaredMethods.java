package jvmticheck.scenarios;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;

/** The methods and constructors of a class, as reflection and as a class file tell of them: with modifiers and the number of parameters. */
final class DeclaredMethods {
    private static final int UTF8 = 1;
    private static final int LONG = 5;
    private static final int DOUBLE = 6;

    private DeclaredMethods() {
    }

    /** Whether both tell of the same ones, so that the JVM may have made the class from this file. */
    static boolean areThoseOf(byte[] file, Class<?> type) throws IOException {
        Set<String> reflected = new TreeSet<String>();
        for (Method method : type.getDeclaredMethods()) {
            reflected.add(method.getModifiers() + " " + method.getName() + " " + method.getParameterTypes().length);
        }
        for (Constructor<?> constructor : type.getDeclaredConstructors()) {
            reflected.add(constructor.getModifiers() + " <init> " + constructor.getParameterTypes().length);
        }
        return reflected.equals(of(file));
    }

    private static Set<String> of(byte[] file) throws IOException {
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(file));
        in.skipBytes(8);
        String[] texts = constants(in);
        in.skipBytes(6);
        in.skipBytes(2 * in.readUnsignedShort());
        members(in, texts);
        return members(in, texts);
    }

    private static String[] constants(DataInputStream in) throws IOException {
        String[] texts = new String[in.readUnsignedShort()];
        for (int i = 1; i < texts.length; i++) {
            int tag = in.readUnsignedByte();
            if (tag == UTF8) {
                texts[i] = in.readUTF();
            } else if (tag == LONG || tag == DOUBLE) {
                in.skipBytes(8);
                i++;
            } else {
                // Classes, texts, types of methods, modules and packages; handles; the others have four bytes.
                in.skipBytes(tag == 7 || tag == 8 || tag == 16 || tag == 19 || tag == 20 ? 2 : tag == 15 ? 3 : 4);
            }
        }
        return texts;
    }

    /** Reads all fields or all methods, and returns the latter but for class initialisers. */
    private static Set<String> members(DataInputStream in, String[] texts) throws IOException {
        Set<String> members = new TreeSet<String>();
        for (int left = in.readUnsignedShort(); left > 0; left--) {
            int modifiers = in.readUnsignedShort();
            String name = texts[in.readUnsignedShort()];
            String descriptor = texts[in.readUnsignedShort()];
            if (!name.equals("<clinit>")) {
                members.add(modifiers + " " + name + " " + parameters(descriptor));
            }
            for (int attributes = in.readUnsignedShort(); attributes > 0; attributes--) {
                in.skipBytes(2);
                in.skipBytes(in.readInt());
            }
        }
        return members;
    }

    private static int parameters(String descriptor) {
        int count = 0;
        for (int i = 1; i < descriptor.length() && descriptor.charAt(i) != ')'; i++) {
            if (descriptor.charAt(i) == '[') {
                continue;
            }
            i = descriptor.charAt(i) == 'L' ? descriptor.indexOf(';', i) : i;
            count++;
        }
        return count;
    }
}
