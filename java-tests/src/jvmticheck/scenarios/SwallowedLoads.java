package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Reflection asks about classes of which a class file names one that its class loader does not find: it throws. What asks may clear that.
 * Afterwards `raise` throws and catches an exception, and `give` returns.
 */
public final class SwallowedLoads implements Scenario {
    private static final String HERE = "jvmticheck/scenarios/SwallowedLoads$";
    private static final int NESTS = 55;
    private static final int SEALED = 61;

    private static final RuntimeException THROWN = new IllegalStateException("thrown");

    /** A class whose class file names another one. */
    public abstract static class Asked {
    }

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("thrown", THROWN);
        ask("host", "NestHost", "getNestHost", NESTS);
        ask("members", "NestMembers", "getNestMembers", NESTS);
        ask("permitted", "PermittedSubclasses", "getPermittedSubclasses", SEALED);
        if (Probe.isUsed("plain")) {
            bindPlain();
        }
    }

    /** Binds a class that an agent may redefine, and raises the exception afterwards. */
    private static void bindPlain() throws Exception {
        byte[] file = new EditedClass(Asked.class).bytes();
        LackingLoader loader = new LackingLoader(SwallowedLoads.class);
        Class<?> plain = loader.define(Asked.class, file);
        Class.forName(plain.getName(), true, loader);
        Probe.bind("plain", plain);
        Probe.bind("plain_file", file);
        Probe.checkpoint("plain");
        int caught = raise();
        Probe.checkpoint("plain_after");
        Probe.fact("plain.failed", loader.failed > 0 ? 1 : 0);
        Probe.fact("plain.caught", caught);
    }

    private static void ask(String kind, String attribute, String getter, int since) throws Exception {
        if (!Probe.isUsed(kind)) {
            return;
        }
        EditedClass file = new EditedClass(Asked.class).since(since);
        int missing = file.type(HERE + "Missing");
        if (kind.equals("host")) {
            file.withAttribute(attribute, missing);
        } else {
            file.withAttribute(attribute, 1, missing);
        }
        LackingLoader loader = new LackingLoader(SwallowedLoads.class);
        Class<?> asked = loader.define(Asked.class, file.bytes());
        Method get = Class.class.getMethod(getter);
        boolean passed = true;
        Probe.checkpoint(kind);
        try {
            get.invoke(asked);
        } catch (ReflectiveOperationException thrown) {
            passed = false;
        }
        int caught = raise();
        Probe.checkpoint(kind + "_after");
        Probe.fact(kind + ".cleared", passed && loader.failed > 0 ? 1 : 0);
        Probe.fact(kind + ".caught", caught);
    }

    static int raise() {
        give();
        try {
            throw THROWN;
        } catch (IllegalStateException expected) {
            return 1;
        }
    }

    static int give() {
        return 3;
    }
}
