package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.TreeSet;

/** The methods and constructors of a class, as reflection and as a class file tell of them: with modifiers and the number of parameters. */
final class DeclaredMethods {
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
        return reflected.equals(of(new ClassFile(file)));
    }

    /** The methods of a class file but for class initialisers. */
    private static Set<String> of(ClassFile file) {
        Set<String> declared = new TreeSet<String>();
        for (ClassFile.Member method : file.declared) {
            if (!method.name.equals("<clinit>")) {
                declared.add(method.modifiers + " " + method.name + " " + parameters(method.descriptor));
            }
        }
        return declared;
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
