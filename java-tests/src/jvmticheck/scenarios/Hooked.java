package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class that is new in each run and loaded between `before` and `loaded`, with other versions of its class file. */
public final class Hooked implements Scenario {
    /** More bytes than a class file has that anybody writes by hand. */
    private static final int LARGE = 70_000;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Target.class);
        ClassFile file = new ClassFile(Target.class);
        Probe.bind("main", Thread.currentThread());
        Probe.bind("loader", loader);
        Probe.bind("original", file.bytes);
        Probe.bind("first", replaced(file.bytes, "original", "changed1"));
        Probe.bind("second", replaced(file.bytes, "original", "changed2"));
        Probe.bind("shorter", new EditedClass(Target.class).with("original", "brief").bytes());
        Probe.bind("longer", new EditedClass(Target.class).with("original", "anything").withAttribute("Unknown", new byte[LARGE]).bytes());
        Probe.fact("length", file.bytes.length);
        Probe.checkpoint("before");
        Class<?> type = loader.initialised(Target.class.getName());
        Object instance = type.getDeclaredConstructor().newInstance();
        Method text = type.getMethod("text");
        Probe.bind("class", type);
        Probe.bind("domain", type.getProtectionDomain());
        Probe.fact("loaded", (String) text.invoke(instance));
        Probe.checkpoint("loaded");
        Probe.fact("after", (String) text.invoke(instance));
        Probe.checkpoint("after");
    }

    /** Replaces a text in every constant by another one of the same length. */
    private static byte[] replaced(byte[] bytes, String text, String by) throws Exception {
        String all = new String(bytes, "ISO-8859-1");
        if (text.length() != by.length() || !all.contains(text)) {
            throw new IllegalArgumentException(text);
        }
        return all.replace(text, by).getBytes("ISO-8859-1");
    }

    /** The class that is loaded. */
    public static class Target {
        public String text() {
            return "original";
        }
    }
}
