package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes that are loaded and not yet linked, new in each run, one of which cannot be linked. */
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
        byte[] whole = new ClassFile(Broken.class).bytes;
        Class<?> broken = null;
        try {
            // The code pushes, stores, loads and returns null, or a number, which it must not return.
            broken = new FreshLoader(Broken.class).define(Broken.class.getName(), new EditedClass(Broken.class)
                    .with(new byte[] {1, 0x4b, 0x2a, (byte) 0xb0}, new byte[] {4, 0x3b, 0x2a, (byte) 0xb0}).bytes());
        } catch (LinkageError early) {
            broken = Broken.class;
        }
        Probe.bind("broken", broken);
        Probe.bind("mended", whole);
        Probe.checkpoint("ready");
        Probe.fact("mended", Answer.of(broken));
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

    /** The class that cannot be linked in another version, in which the method returns a number. */
    public static class Broken {
        public static Object answer() {
            Object none = null;
            return none;
        }
    }
}
