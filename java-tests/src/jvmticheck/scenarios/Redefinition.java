package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that is new in each turn, to be redefined between `ready` and `after`, with other versions of its class file,
 * made by replacing a constant of the original.
 */
public final class Redefinition implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Redefined.class);
        Class<?> type = loader.initialised(Redefined.class.getName());
        Object instance = type.getDeclaredConstructor().newInstance();
        ClassFile file = new ClassFile(Redefined.class);
        Probe.bind("class", type);
        Probe.bind("instance", instance);
        Probe.bind("main", Thread.currentThread());
        Probe.bind("original", file.bytes);
        Probe.bind("changed", replaced(file.bytes, "original", "replaced"));
        Probe.bind("with_extension", file.withDebugExtension("an extension"));
        Probe.bind("method_renamed", replaced(file.bytes, "spare", "other"));
        Probe.bind("field_renamed", replaced(file.bytes, "kept", "lost"));
        Probe.bind("superclass_changed", replaced(file.bytes, "jvmticheck/scenarios/Redefinition$Parent",
                "jvmticheck/scenarios/Redefinition$Father"));
        Probe.bind("class_renamed", replaced(file.bytes, "jvmticheck/scenarios/Redefinition$Redefined",
                "jvmticheck/scenarios/Redefinition$Renamedxx"));
        byte[] version = file.bytes.clone();
        version[6] = 0x7f;
        Probe.bind("version_unknown", version);
        byte[] garbled = file.bytes.clone();
        garbled[0] = 0;
        Probe.bind("garbled", garbled);
        Method text = type.getMethod("text");
        Probe.fact("before", (String) text.invoke(instance));
        Probe.checkpoint("ready");
        Probe.fact("after", (String) text.invoke(instance));
        Probe.fact("initialisations", type.getField("initialisations").getInt(null));
        Probe.fact("kept", type.getField("kept").getInt(instance));
        Probe.checkpoint("after");
    }

    /** With every constant of that text replaced by another one as long. */
    private static byte[] replaced(byte[] bytes, String text, String by) throws Exception {
        String all = new String(bytes, "ISO-8859-1");
        if (text.length() != by.length() || !all.contains(text)) {
            throw new IllegalArgumentException(text);
        }
        return all.replace(text, by).getBytes("ISO-8859-1");
    }

    /** A superclass. */
    public static class Parent {
    }

    /** Another one. */
    public static class Father {
    }

    /** The class to be redefined. */
    public static class Redefined extends Parent {
        public static int initialisations;
        public int kept = 5;

        static {
            initialisations++;
        }

        public String text() {
            kept++;
            Probe.checkpoint("inside");
            return "original";
        }

        public int spare() {
            return 1;
        }
    }
}
