package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Calls of many methods that a class overrides, by code that may have been compiled for another class: a JVM may have to generate code
 * for each. Meanwhile another thread marks `toggle` again and again.
 */
public final class Dispatching implements Scenario {
    private static final String NAME = "jvmticheck/scenarios/Dispatching$Made";
    /** So many that HotSpot never compiles a method that calls each: it would take the callers in. */
    private static final int METHODS = 2000;
    /** Calls of each method after which HotSpot compiles its caller. */
    private static final int CALLS = 300;
    private static final int ALOAD_0 = 0x2a;
    private static final int POP = 0x57;
    private static final int IRETURN = 0xac;
    private static final int RETURN = 0xb1;
    private static final int ICONST_1 = 0x04;
    private static final int INVOKEVIRTUAL = 0xb6;
    private static final int INVOKESPECIAL = 0xb7;
    private static final int INVOKESTATIC = 0xb8;

    private volatile boolean over;
    private volatile boolean toggling;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Dispatching.class);
        define(loader, "", "java/lang/Object");
        Object one = define(loader, "One", NAME).getDeclaredConstructor().newInstance();
        Object two = define(loader, "Two", NAME).getDeclaredConstructor().newInstance();
        Class<?> caller = loader.define(name("Caller"), caller());
        Method all = caller.getMethod("all", one.getClass().getSuperclass());
        for (int i = 0; i < CALLS; i++) {
            all.invoke(null, one);
        }
        Probe.fact("compiled", isCompiled(caller) ? 1 : 0);
        Probe.checkpoint("ready");
        try (Stage stage = new Stage()) {
            stage.keep(Stage.daemon("toggling", new Runnable() {
                @Override
                public void run() {
                    while (!over) {
                        Probe.checkpoint("toggle");
                        toggling = true;
                    }
                }
            })).start();
            Probe.await("the other thread to begin", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return toggling;
                }
            });
            all.invoke(null, two);
            all.invoke(null, one);
            Probe.fact("called", 2 * METHODS);
            over = true;
        }
        Probe.checkpoint("after");
    }

    private static boolean isCompiled(Class<?> caller) {
        return Probe.isCompiled(caller, "c0") && Probe.isCompiled(caller, "c" + (METHODS - 1));
    }

    private static String name(String suffix) {
        return NAME.replace('/', '.') + suffix;
    }

    /** A class with many methods, which those of its subclasses override. */
    private static Class<?> define(FreshLoader loader, String suffix, String parent) throws IOException {
        MadeFile file = new MadeFile();
        byte[] init = code().at(ALOAD_0).at(INVOKESPECIAL, file.method(parent, "<init>", "()V")).at(RETURN).bytes();
        file.add(MadeFile.PUBLIC, "<init>", "()V", 1, init);
        for (int i = 0; i < METHODS; i++) {
            file.add(MadeFile.PUBLIC, "m" + i, "()I", 1, code().at(ICONST_1).at(IRETURN).bytes());
        }
        return loader.define(name(suffix), file.bytes(NAME + suffix, parent));
    }

    /** A class with a method that calls each of the methods, which itself has a caller each. */
    private static byte[] caller() throws IOException {
        MadeFile file = new MadeFile();
        String descriptor = "(L" + NAME + ";)I";
        Code all = code();
        for (int i = 0; i < METHODS; i++) {
            Code call = code().at(ALOAD_0).at(INVOKEVIRTUAL, file.method(NAME, "m" + i, "()I")).at(IRETURN);
            file.add(MadeFile.PUBLIC | MadeFile.STATIC, "c" + i, descriptor, 1, call.bytes());
            all.at(ALOAD_0).at(INVOKESTATIC, file.method(NAME + "Caller", "c" + i, descriptor)).at(POP);
        }
        file.add(MadeFile.PUBLIC | MadeFile.STATIC, "all", "(L" + NAME + ";)V", 1, all.at(RETURN).bytes());
        return file.bytes(NAME + "Caller", "java/lang/Object");
    }

    private static Code code() {
        return new Code();
    }

    /** Instructions. */
    private static final class Code {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final DataOutputStream out = new DataOutputStream(bytes);

        Code at(int instruction) throws IOException {
            out.writeByte(instruction);
            return this;
        }

        Code at(int instruction, int index) throws IOException {
            out.writeByte(instruction);
            out.writeShort(index);
            return this;
        }

        byte[] bytes() {
            return bytes.toByteArray();
        }
    }
}
