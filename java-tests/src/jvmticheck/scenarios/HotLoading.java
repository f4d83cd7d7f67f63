package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * A method, which may have been compiled, needs a class that its class loader does not find: it throws in `fail`. The fact `thrown` says how often.
 */
public final class HotLoading implements Scenario {
    private static int thrown;

    /** The class of the method. */
    public static final class Hot {
        public static Object make(boolean really) {
            if (really) {
                return new Missing();
            }
            return null;
        }
    }

    /** The class that is not found. */
    public static final class Missing {
    }

    /** Defines the one class, and does not find the other. */
    private static final class Loader extends ClassLoader {
        Loader() {
            super(HotLoading.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.equals(Missing.class.getName())) {
                fail(name);
            }
            return super.loadClass(name, resolve);
        }

        Class<?> define() throws IOException {
            byte[] file = ClassFile.read(Hot.class);
            return defineClass(Hot.class.getName(), file, 0, file.length);
        }
    }

    static void fail(String name) throws ClassNotFoundException {
        thrown++;
        throw new ClassNotFoundException(name);
    }

    @Override
    public void run() throws Exception {
        thrown = 0;
        Method make = new Loader().define().getMethod("make", boolean.class);
        Probe.bind("main", Thread.currentThread());
        make.invoke(null, false);
        Probe.checkpoint("before");
        boolean failed = false;
        try {
            make.invoke(null, true);
        } catch (InvocationTargetException e) {
            failed = e.getCause() instanceof NoClassDefFoundError;
        }
        Probe.checkpoint("after");
        Probe.fact("thrown", thrown);
        Probe.fact("failed", failed ? 1 : 0);
    }
}
