package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Objects that nothing keeps but a class: constants that the class has resolved, and objects that no field, variable or array of a program
 * refers to, but that Java code gets again and again: a class value, class data, an annotation, and what a call site returns.
 */
public final class KeptByClass implements Scenario {
    /** The version of class files that have dynamic constants. */
    private static final int DYNAMIC = 55;
    private static final String HERE = "jvmticheck/scenarios/KeptByClass$";

    /** An array class, whose component class nothing else refers to. */
    private static volatile Class<?> array;

    private static final ClassValue<Object> VALUE = new ClassValue<Object>() {
        @Override
        protected Object computeValue(Class<?> type) {
            return new Value();
        }
    };

    @Override
    public void run() throws Exception {
        boolean dynamic = Float.parseFloat(System.getProperty("java.class.version")) >= DYNAMIC;
        for (String kind : new String[] {"text", "type", "handle", "dynamic"}) {
            if (dynamic || !kind.equals("dynamic")) {
                Class<?> type = new FreshLoader(Constant.class).define(Constant.class.getName(), constant(kind));
                Probe.bind(kind + "_class", type);
                Probe.bind(kind, type.getMethod("answer").invoke(null));
            }
        }
        Class<?> key = new FreshLoader(Key.class).initialised(Key.class.getName());
        Class<?> marked = new FreshLoader(Marked.class).initialised(Marked.class.getName());
        Callable<Object> site = new Site();
        Object data = dataLookup();
        Probe.bind("value_type", Value.class);
        Probe.bind("site_type", site.call().getClass());
        Probe.bind("mark_type", marked.getAnnotation(Mark.class).getClass());
        Probe.bind("data_type", Data.class);
        Probe.bind("component_type", Part.class);
        array = Array.newInstance(new FreshLoader(Held.class).initialised(Held.class.getName()), 0).getClass();
        int[] before = {hash(VALUE.get(key)), hash(site.call()), hash(marked.getAnnotation(Mark.class)), hash(data(data)),
                hash(part())};
        Probe.checkpoint("ready");
        // The same hash codes show that these are the same objects.
        Probe.fact("value", before[0] == hash(VALUE.get(key)) ? 1 : 0);
        Probe.fact("site", before[1] == hash(site.call()) ? 1 : 0);
        Probe.fact("mark", before[2] == hash(marked.getAnnotation(Mark.class)) ? 1 : 0);
        Probe.fact("data", data != null && before[3] == hash(data(data)) ? 1 : 0);
        Probe.fact("component", before[4] == hash(part()) ? 1 : 0);
        array = null;
        Probe.checkpoint("after");
    }

    private static Object part() throws ReflectiveOperationException {
        return array.getComponentType().getField("part").get(null);
    }

    private static int hash(Object object) {
        return System.identityHashCode(object);
    }

    /** The class file of a class whose method returns a constant of that kind. */
    private static byte[] constant(String kind) throws IOException {
        EditedClass file = new EditedClass(Constant.class);
        int constant;
        if (kind.equals("text")) {
            constant = file.constant(8, file.text("a constant of KeptByClass"));
        } else if (kind.equals("type")) {
            constant = file.constant(16, file.text("(L" + HERE + "Value;)V"));
        } else {
            int make = file.constant(10, file.type(HERE + "Made"), file.constant(12, file.text("make"),
                    file.text("(Ljava/lang/invoke/MethodHandles$Lookup;Ljava/lang/String;Ljava/lang/Class;)Ljava/lang/Object;")));
            int handle = file.handle(6, make);
            if (kind.equals("handle")) {
                constant = handle;
            } else {
                file.since(DYNAMIC);
                constant = file.constant(17, 0, file.constant(12, file.text("made"), file.text("Ljava/lang/Object;")));
                ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                DataOutputStream out = new DataOutputStream(bytes);
                out.writeShort(1);
                out.writeShort(handle);
                out.writeShort(0);
                file.withAttribute("BootstrapMethods", bytes.toByteArray());
            }
        }
        // The code pushes, stores, loads and returns null; a constant needs two bytes.
        return file.with(new byte[] {1, 0x4b, 0x2a, (byte) 0xb0}, new byte[] {0x12, (byte) constant, 0, (byte) 0xb0}).bytes();
    }

    /** A lookup for a hidden class that has data; null where the JVM has no such classes. */
    private static Object dataLookup() throws ReflectiveOperationException, IOException {
        try {
            Class<?> options = Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption");
            Object none = Array.newInstance(options, 0);
            Method define = MethodHandles.Lookup.class.getMethod("defineHiddenClassWithClassData", byte[].class, Object.class,
                    boolean.class, none.getClass());
            return define.invoke(MethodHandles.lookup(), new ClassFile(Key.class).bytes, new Data(), true, none);
        } catch (ClassNotFoundException | NoSuchMethodException old) {
            return null;
        }
    }

    private static Object data(Object lookup) throws ReflectiveOperationException {
        if (lookup == null) {
            return null;
        }
        Method data = MethodHandles.class.getMethod("classData", MethodHandles.Lookup.class, String.class, Class.class);
        return data.invoke(null, lookup, "_", Object.class);
    }

    /** A class whose method returns null, or a constant in versions of its class file. */
    public static class Constant {
        public static Object answer() {
            Object none = null;
            return none;
        }
    }

    /** What a dynamic constant is. */
    public static final class Made {
        public static Object make(MethodHandles.Lookup lookup, String name, Class<?> type) {
            return new Made();
        }
    }

    /** Returns the same lambda each time, if the JVM makes one for all. */
    private static final class Site implements Callable<Object> {
        @Override
        public Object call() {
            Runnable same = () -> { };
            return same;
        }
    }

    /** The class value. */
    public static final class Value {
        int number;
    }

    /** The class data. */
    static final class Data {
        int number;
    }

    /** The component of the array class. */
    public static class Held {
        public static final Object part = new Part();
    }

    /** What the component has in a static field. */
    public static final class Part {
        int number;
    }

    /** A class that has a class value. */
    public static class Key {
    }

    /** The annotation. */
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Mark {
    }

    /** A class with the annotation. */
    @Mark
    public static class Marked {
    }
}
