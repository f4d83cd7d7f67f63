package jvmticheck.scenarios;

import java.util.Arrays;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes of several kinds, of a class loader of their own, which another loader has asked for as well. */
public final class OwnKinds implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Own.class);
        Asking asking = new Asking(loader);
        Probe.bind("loader", loader);
        Probe.bind("asking", asking);
        for (Class<?> kind : Arrays.<Class<?>>asList(Own.class, OwnInterface.class, OwnAnnotation.class, OwnEnumeration.class)) {
            String name = kind.getSimpleName().equals("Own") ? "class" : kind.getSimpleName().substring(3).toLowerCase();
            // With this loader as the one that initiates it.
            Probe.bind(name, Class.forName(kind.getName(), true, asking));
        }
        Probe.checkpoint("ready");
    }

    /** Leaves all to the other loader. */
    private static final class Asking extends ClassLoader {
        Asking(ClassLoader parent) {
            super(parent);
        }
    }

    /** A class. */
    static class Own {
    }

    /** An interface. */
    interface OwnInterface {
    }

    /** An annotation. */
    @interface OwnAnnotation {
    }

    /** An enumeration. */
    enum OwnEnumeration {
        ONE
    }
}
