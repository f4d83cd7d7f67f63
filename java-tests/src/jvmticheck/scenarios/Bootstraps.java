package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Classes with bootstrap methods that are new in each run, with versions of their class files that have more, fewer and other
 * ones: `Many` has call sites that are linked at run time, and a class of JDK 11 and newer has a constant that is.
 */
public final class Bootstraps implements Scenario {
    private static final String HERE = "jvmticheck/scenarios/Bootstraps$";
    /** The version of class files that have dynamic constants. */
    private static final int DYNAMIC = 55;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Many.class);
        Class<?> many = loader.define(Many.class.getName(), file(Many.class));
        Probe.bind("class", many);
        Probe.bind("many", file(Many.class));
        Probe.bind("few", file(Few.class));
        Probe.bind("none", file(None.class));
        Probe.bind("other", file(Other.class));
        Probe.fact("before", Answer.of(many));
        Class<?> dynamic = null;
        if (Float.parseFloat(System.getProperty("java.class.version")) >= DYNAMIC) {
            loader = new FreshLoader(Constant.class);
            dynamic = loader.define(Constant.class.getName(), constant("primitiveClass", "I"));
            Probe.bind("dynamic", dynamic);
            Probe.bind("int_constant", constant("primitiveClass", "I"));
            Probe.bind("long_constant", constant("primitiveClass", "J"));
            Probe.bind("no_constant", new EditedClass(Constant.class).since(DYNAMIC).bytes());
            Probe.fact("dynamic.before", Answer.of(dynamic));
        }
        Probe.checkpoint("ready");
        Probe.fact("after", Answer.of(many));
        if (dynamic != null) {
            Probe.fact("dynamic.after", Answer.of(dynamic));
        }
        Probe.checkpoint("after");
    }

    /** The class file of a version of `Many`. */
    private static byte[] file(Class<?> version) throws IOException {
        EditedClass file = new EditedClass(version);
        return version == Many.class ? file.bytes() : file.with(HERE + version.getSimpleName(), HERE + "Many").bytes();
    }

    /** The class file whose method returns a constant that `ConstantBootstraps` makes. */
    private static byte[] constant(String method, String name) throws IOException {
        EditedClass file = new EditedClass(Constant.class).since(DYNAMIC);
        int bootstrap = file.constant(10, file.type("java/lang/invoke/ConstantBootstraps"), file.constant(12, file.text(method),
                file.text("(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/Class;")));
        int dynamic = file.constant(17, 0, file.constant(12, file.text(name), file.text("Ljava/lang/Class;")));
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort(1);
        out.writeShort(file.handle(6, bootstrap));
        out.writeShort(0);
        // The code pushes, stores, loads and returns null; a constant needs two bytes.
        return file.withAttribute("BootstrapMethods", bytes.toByteArray())
                .with(new byte[] {1, 0x4b, 0x2a, (byte) 0xb0}, new byte[] {0x12, (byte) dynamic, 0, (byte) 0xb0}).bytes();
    }

    /** What the method references of all versions refer to. */
    public static class Parts {
        public static String first() {
            return "1";
        }

        public static String second() {
            return "2";
        }

        public static String third() {
            return "3";
        }
    }

    /** A class with three method references. */
    public static class Many {
        public static String answer() throws Exception {
            Callable<String> first = Parts::first;
            Callable<String> second = Parts::second;
            Callable<String> third = Parts::third;
            return first.call() + second.call() + third.call();
        }
    }

    /** The version with one of them. */
    public static class Few {
        public static String answer() throws Exception {
            Callable<String> third = Parts::third;
            return "few" + third.call();
        }
    }

    /** The version without any. */
    public static class None {
        public static String answer() throws Exception {
            return "none";
        }
    }

    /** The version with others, in another order. */
    public static class Other {
        public static String answer() throws Exception {
            java.util.function.Supplier<String> third = Parts::third;
            Callable<String> second = Parts::second;
            java.util.function.Supplier<String> first = Parts::first;
            Callable<String> again = Parts::third;
            return "other" + third.get() + second.call() + first.get() + again.call();
        }
    }

    /** A class whose method returns null, or a constant in versions of its class file. */
    public static class Constant {
        public static Object answer() {
            Object none = null;
            return none;
        }
    }
}
