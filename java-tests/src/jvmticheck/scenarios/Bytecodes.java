package jvmticheck.scenarios;

import java.lang.reflect.Modifier;

/** Tells which methods have instructions: those of the class library may be native. */
final class Bytecodes {
    private Bytecodes() {
    }

    /** 1 if the class itself declares such a method and it is not native, otherwise 0. */
    static int of(Class<?> type, String name, Class<?>... parameters) {
        try {
            return Modifier.isNative(type.getDeclaredMethod(name, parameters).getModifiers()) ? 0 : 1;
        } catch (NoSuchMethodException other) {
            return 0;
        }
    }

    /** Whether the class declares such a method. */
    static boolean declares(Class<?> type, String name, Class<?>... parameters) {
        try {
            return type.getDeclaredMethod(name, parameters) != null;
        } catch (NoSuchMethodException other) {
            return false;
        }
    }
}
