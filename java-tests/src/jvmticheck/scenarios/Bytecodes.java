package jvmticheck.scenarios;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;

/** Tells which methods have instructions: those of the class library may be native. */
final class Bytecodes {
    private Bytecodes() {
    }

    /** 1 if the class itself declares such a method and it is not native, otherwise 0. */
    static int of(Class<?> type, String name, Class<?>... parameters) {
        return declares(type, name, parameters) && !isNative(type, name, parameters) ? 1 : 0;
    }

    /** Whether the class declares such a method. */
    static boolean declares(Class<?> type, String name, Class<?>... parameters) {
        return declared(type, name, parameters) != null;
    }

    /** Whether the class declares such a method and it is native. */
    static boolean isNative(Class<?> type, String name, Class<?>... parameters) {
        Method method = declared(type, name, parameters);
        return method != null && Modifier.isNative(method.getModifiers());
    }

    private static Method declared(Class<?> type, String name, Class<?>... parameters) {
        try {
            return type.getDeclaredMethod(name, parameters);
        } catch (NoSuchMethodException other) {
            return null;
        }
    }
}
