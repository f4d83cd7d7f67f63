package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class with many methods, none of which has been called when the JVM has no more room for classes, as options can bring about. Then
 * the JVM has room again, and some of the methods are called often.
 */
public final class NoRoom implements Scenario {
    private static final String PREFIX = "jvmticheck/scenarios/NoRoom$Made";
    private static final int METHODS = 1000;
    private static final int STEP = 111;
    private static final int CALLS = 1000;
    private static final int[] FILLER_METHODS = {100, 10, 0};
    /** More than a JVM that is told to have little room for classes has room for. */
    private static final int FILLERS = 4000;
    private static final int ATTEMPTS = 20;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(NoRoom.class);
        Class<?> type = loader.define(name(""), file("", METHODS));
        Class.forName(name(""), true, loader);
        Method[] methods = new Method[METHODS / STEP + 1];
        for (int i = 0; i < methods.length; i++) {
            methods[i] = type.getMethod("m" + i * STEP);
        }
        Probe.bind("class", type);
        Probe.fact("full", 0);
        Probe.checkpoint("made");
        WeakReference<Object> fillers = fill();
        for (int i = 0; i < ATTEMPTS && fillers.get() != null; i++) {
            System.gc();
        }
        Probe.checkpoint("room");
        int called = 0;
        for (Method method : methods) {
            for (int i = 0; i < CALLS; i++) {
                method.invoke(null);
                called++;
            }
        }
        Probe.fact("called", called);
        Probe.checkpoint("after");
    }

    /** Makes classes until there is no more room; returns their loader. */
    private static WeakReference<Object> fill() throws IOException {
        FreshLoader loader = new FreshLoader(NoRoom.class);
        int made = 0;
        for (int methods : FILLER_METHODS) {
            try {
                while (made < FILLERS) {
                    loader.define(name("F" + made), file("F" + made, methods));
                    made++;
                }
            } catch (OutOfMemoryError none) {
                made++;
                Probe.fact("full", methods == 0 ? 1 : 0);
            }
        }
        Probe.checkpoint("full");
        return new WeakReference<Object>(loader);
    }

    private static String name(String suffix) {
        return PREFIX.replace('/', '.') + suffix;
    }

    /** A class file of a class with so many static methods, named `m0` and so on, that do nothing. JVMS, chapter 4. */
    private static byte[] file(String suffix, int methods) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xcafebabe);
        out.writeInt(49);
        out.writeShort(7 + methods);
        type(out, PREFIX + suffix, 1);
        type(out, "java/lang/Object", 3);
        text(out, "Code");
        text(out, "()V");
        for (int i = 0; i < methods; i++) {
            text(out, "m" + i);
        }
        out.writeShort(0x21);
        out.writeShort(2);
        out.writeShort(4);
        out.writeInt(0);
        out.writeShort(methods);
        for (int i = 0; i < methods; i++) {
            method(out, 7 + i);
        }
        out.writeShort(0);
        return bytes.toByteArray();
    }

    private static void text(DataOutputStream out, String text) throws IOException {
        out.writeByte(1);
        out.writeUTF(text);
    }

    private static void type(DataOutputStream out, String name, int index) throws IOException {
        text(out, name);
        out.writeByte(7);
        out.writeShort(index);
    }

    /** A public static method whose code is `return`. */
    private static void method(DataOutputStream out, int name) throws IOException {
        out.writeShort(9);
        out.writeShort(name);
        out.writeShort(6);
        out.writeShort(1);
        out.writeShort(5);
        out.writeInt(13);
        out.writeInt(0);
        out.writeInt(1);
        out.writeByte(0xb1);
        out.writeInt(0);
    }
}
