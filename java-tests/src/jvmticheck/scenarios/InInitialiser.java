package jvmticheck.scenarios;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes that may be redefined while they are initialised, which the first call of a method of theirs brings about. */
public final class InInitialiser implements Scenario {
    private static String way;

    @Override
    public void run() throws Exception {
        Probe.bind("file", ClassFile.read(Fresh.class));
        for (String each : new String[] {"instruction", "reflection", "constructor", "handle", "instance"}) {
            way = each;
            FreshLoader loader = new FreshLoader(Fresh.class);
            Class<?> fresh = loader.loadClass(Fresh.class.getName());
            Probe.bind(way, fresh);
            Callable<?> call = call(loader, fresh);
            Probe.fact(way + ".first", String.valueOf(call.call()));
            Probe.fact(way + ".second", String.valueOf(call.call()));
        }
        Probe.checkpoint("after");
    }

    private static Callable<?> call(FreshLoader loader, Class<?> fresh) throws Exception {
        if (way.equals("reflection")) {
            final Method method = fresh.getMethod("answer");
            return new Callable<Object>() {
                @Override
                public Object call() throws Exception {
                    return method.invoke(null);
                }
            };
        }
        if (way.equals("constructor")) {
            final Constructor<?> constructor = fresh.getConstructor();
            return new Callable<Object>() {
                @Override
                public Object call() throws Exception {
                    return constructor.newInstance();
                }
            };
        }
        if (way.equals("handle")) {
            final MethodHandle handle = MethodHandles.lookup().findStatic(fresh, "answer", MethodType.methodType(String.class));
            return new Callable<Object>() {
                @Override
                public Object call() throws Exception {
                    try {
                        return handle.invoke();
                    } catch (Throwable thrown) {
                        throw new IllegalStateException(thrown);
                    }
                }
            };
        }
        Class<?> caller = way.equals("instance") ? FreshMaker.class : FreshCaller.class;
        return (Callable<?>) loader.made(caller);
    }

    /** Called by the initialiser of the class. */
    public static void initialising() {
        Probe.checkpoint(way);
    }

    /** The class that is initialised when its method is called for the first time. */
    public static class Fresh {
        private final String made;

        static {
            initialising();
        }

        public Fresh() {
            made = "one";
        }

        public static String answer() {
            return "one";
        }

        public String own() {
            return "one";
        }

        @Override
        public String toString() {
            return made;
        }
    }

    /** Calls the static method. */
    public static class FreshCaller implements Callable<Object> {
        @Override
        public Object call() {
            return Fresh.answer();
        }
    }

    /** Makes an instance and calls its method. */
    public static class FreshMaker implements Callable<Object> {
        @Override
        public Object call() {
            return new Fresh().own();
        }
    }
}
