package jvmticheck.scenarios;

import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A class that an agent redefines while one of its methods is active. The new version needs a class that its verification loads, and the
 * loader makes garbage before it asks its parent for it, so that what the JVM keeps of the new version by then may be moved.
 */
public final class VerifiedMeanwhile implements Scenario {
    private static final int ROUNDS = 2;
    private static final int KEPT = 24;
    private static final int CHUNK = 8 << 10;
    private static final int FEW = 10 << 7;
    private static final int MANY = 4 << 10;

    private static int asked;

    @Override
    @SuppressWarnings("unchecked")
    public void run() throws Exception {
        asked = 0;
        byte[] file = new ClassFile(Body.class).bytes;
        Class<?> body = new Loader().define(Body.class.getName(), file);
        Probe.bind("class", body);
        Probe.bind("file", file);
        Callable<Integer> first = (Callable<Integer>) body.getConstructor(Runnable.class).newInstance(new Runnable() {
            @Override
            public void run() {
                System.gc();
                System.gc();
                asked = 0;
                Probe.checkpoint("redefine");
                Probe.fact("asked", asked);
                for (int i = 0; i < ROUNDS; i++) {
                    fill(MANY, KEPT);
                    System.gc();
                }
                Probe.checkpoint("after");
            }
        });
        Probe.fact("sum", first.call());
    }

    /** Makes so many arrays, and keeps the last ones while it does. */
    static int fill(int number, int last) {
        byte[][] kept = new byte[last][];
        for (int i = 0; i < number; i++) {
            kept[i % last] = new byte[CHUNK];
        }
        return kept.length;
    }

    /** Defines the class, and makes garbage before it asks its parent for another one. */
    private static final class Loader extends ClassLoader {
        Loader() {
            super(VerifiedMeanwhile.class.getClassLoader());
        }

        Class<?> define(String name, byte[] bytes) {
            return defineClass(name, bytes, 0, bytes.length);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith(VerifiedMeanwhile.class.getName())) {
                asked++;
                fill(FEW, 1);
            }
            return super.loadClass(name, resolve);
        }
    }

    /** The class that an agent redefines. Its verification needs to know that one class extends another one. */
    public static final class Body implements Callable<Integer> {
        private final Runnable inner;

        public Body(Runnable inner) {
            this.inner = inner;
        }

        @Override
        public Integer call() {
            inner.run();
            return made() == null ? 0 : 1;
        }

        static Base made() {
            return new First();
        }
    }

    /** What the class makes. */
    public static class Base {
    }

    /** What its first version makes. */
    public static class First extends Base {
    }

    /** What its other version makes. */
    public static class Other extends Base {
    }
}
