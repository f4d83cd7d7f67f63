package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that is new in each run and loaded after `unloaded`, which an agent may redefine between `ready` and `after`,
 * with other versions of its class file.
 */
public final class Redefinition implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Redefined.class);
        Probe.bind("loader", loader);
        Probe.bind("main", Thread.currentThread());
        Probe.bind("original", new EditedClass(Redefined.class).bytes());
        Probe.bind("changed", new EditedClass(Redefined.class).with("original", "replaced").bytes());
        Probe.bind("with_extension", new EditedClass(Redefined.class)
                .withAttribute("SourceDebugExtension", "an extension".getBytes("US-ASCII")).bytes());
        Probe.bind("garbled", "no class file".getBytes("US-ASCII"));
        Probe.checkpoint("unloaded");
        Class<?> type = loader.initialised(Redefined.class.getName());
        Object instance = type.getDeclaredConstructor().newInstance();
        Probe.bind("class", type);
        Probe.bind("instance", instance);
        Method text = type.getMethod("text");
        Probe.fact("before", (String) text.invoke(instance));
        Probe.checkpoint("ready");
        Probe.fact("after", (String) text.invoke(instance));
        Probe.fact("initialisations", type.getField("initialisations").getInt(null));
        Probe.fact("kept", type.getField("kept").getInt(instance));
        Probe.checkpoint("after");
    }

    /** The class that an agent redefines. */
    public static class Redefined {
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
