package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class that is loaded and not yet linked, new in each run, with its class file. */
public final class Unlinked implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Child.class);
        byte[] file = new ClassFile(Child.class).bytes;
        Probe.bind("loader", loader);
        Probe.bind("class", loader.define(Child.class.getName(), file));
        Probe.bind("parent", Parent.class);
        Probe.bind("interface", Face.class);
        Probe.bind("file", file);
        Probe.checkpoint("ready");
        Probe.checkpoint("after");
    }

    /** The superclass. */
    public static class Parent {
    }

    /** The interface. */
    public interface Face {
        int number();
    }

    /** The class. */
    public static class Child extends Parent implements Face {
        static int count = 5;

        @Override
        public int number() {
            return count;
        }
    }
}
