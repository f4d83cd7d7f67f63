package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes that are new in each run, whose code has tried to push a constant that cannot be resolved. */
public final class Unresolvable implements Scenario {
    /** The version of class files that have dynamic constants. */
    private static final int DYNAMIC = 55;
    private static final String MISSING = "jvmticheck/scenarios/NoSuchClass";

    @Override
    public void run() throws Exception {
        boolean dynamic = Float.parseFloat(System.getProperty("java.class.version")) >= DYNAMIC;
        for (String kind : new String[] {"class", "type", "handle", "dynamic"}) {
            if (dynamic || !kind.equals("dynamic")) {
                byte[] file = file(kind);
                Class<?> type = new FreshLoader(Constant.class).define(Constant.class.getName(), file);
                Probe.bind(kind, type);
                Probe.bind(kind + "_file", file);
                Probe.fact(kind + ".before", answer(type));
            }
        }
        Probe.checkpoint("ready");
        Probe.checkpoint("after");
    }

    private static String answer(Class<?> type) {
        try {
            return String.valueOf(type.getMethod("answer").invoke(null));
        } catch (ReflectiveOperationException | LinkageError e) {
            return "none";
        }
    }

    private static byte[] file(String kind) throws IOException {
        EditedClass file = new EditedClass(Constant.class);
        int constant;
        if (kind.equals("class")) {
            constant = file.type(MISSING);
        } else if (kind.equals("type")) {
            constant = file.constant(16, file.text("()L" + MISSING + ";"));
        } else {
            int missing = file.constant(10, file.type(MISSING), file.constant(12, file.text("make"),
                    file.text("(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/Object;")));
            constant = file.handle(6, missing);
            if (kind.equals("dynamic")) {
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                DataOutputStream out = new DataOutputStream(bytes);
                out.writeShort(1);
                out.writeShort(constant);
                out.writeShort(0);
                constant = file.since(DYNAMIC).withAttribute("BootstrapMethods", bytes.toByteArray())
                        .constant(17, 0, file.constant(12, file.text("made"), file.text("Ljava/lang/Object;")));
            }
        }
        // The code pushes, stores, loads and returns null; a constant needs two bytes.
        return file.with(new byte[] {1, 0x4b, 0x2a, (byte) 0xb0}, new byte[] {0x12, (byte) constant, 0, (byte) 0xb0}).bytes();
    }

    /** A class whose method returns null, or a constant in versions of its class file. */
    public static class Constant {
        public static Object answer() {
            Object none = null;
            return none;
        }
    }
}
