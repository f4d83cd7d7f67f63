package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Instructions that store and return the int 2 as a boolean, of which only the lowest bit counts. No compiler generates such. */
public final class Narrowed implements Scenario {
    @Override
    public void run() throws Exception {
        Class<?> storing = edited(Storing.class, "(Z)V", "(I)V");
        Class<?> returning = edited(Returning.class, "(Z)Z", "(I)Z");
        Field flag = storing.getField("flag");
        Method put = storing.getMethod("put", int.class);
        Method same = returning.getMethod("same", int.class);
        put.invoke(null, 0);
        same.invoke(null, 0);
        Probe.bind("main", Thread.currentThread());
        Probe.bind("storing", storing);
        Probe.bind("returning", returning);
        Probe.checkpoint("before");
        put.invoke(null, 2);
        Object returned = same.invoke(null, 2);
        Probe.checkpoint("after");
        Probe.fact("stored", String.valueOf(flag.getBoolean(null)));
        Probe.fact("returned", String.valueOf(returned));
    }

    /** Another version of a class, whose method takes an int. */
    private static Class<?> edited(Class<?> type, String descriptor, String other) throws IOException {
        return new FreshLoader(type).define(type.getName(), new EditedClass(type).with(descriptor, other).bytes());
    }

    /** Stores what the method gets. */
    public static final class Storing {
        public static boolean flag;

        private Storing() {
        }

        public static void put(boolean value) {
            flag = value;
        }
    }

    /** Has no other method. */
    public interface Returning {
        static boolean same(boolean value) {
            return value;
        }
    }
}
