package jvmticheck.scenarios;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class with a method that an agent may delete, and what calls the method: a handle, reflection, a lambda expression. */
public final class Deleted implements Scenario {
    private static int result;

    @Override
    public void run() throws Exception {
        try {
            call();
        } catch (Exception | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static void call() throws Throwable {
        Probe.bind("class", Holder.class);
        Probe.bind("original", new ClassFile(Holder.class).bytes);
        MethodHandle handle = Holder.handle("spare");
        MethodHandle kept = Holder.handle("kept");
        Method method = Holder.class.getDeclaredMethod("spare");
        method.setAccessible(true);
        Runnable lambda = Holder.lambda();
        handle.invokeExact();
        kept.invokeExact();
        method.invoke(null);
        lambda.run();
        Probe.checkpoint("ready");
        Probe.fact("handle", attempt("handle", handle));
        Probe.fact("reflected", attempt("reflected", method));
        Probe.fact("lambda", attempt("lambda", lambda));
        kept.invokeExact();
        Probe.fact("kept", result);
        Probe.checkpoint("after");
    }

    /** What a call brings, if a case asks for it: 1 for the method, or the exception's name. */
    private static String attempt(String name, Object way) {
        if (!Probe.isUsed(name)) {
            return "";
        }
        Probe.checkpoint(name);
        result = 0;
        try {
            if (way instanceof MethodHandle) {
                ((MethodHandle) way).invokeExact();
            } else if (way instanceof Method) {
                ((Method) way).invoke(null);
            } else {
                ((Runnable) way).run();
            }
            return String.valueOf(result);
        } catch (Throwable thrown) {
            return thrown.getClass().getName();
        }
    }

    /** The class. */
    static final class Holder {
        private Holder() {
        }

        private static void spare() {
            result = 1;
        }

        private static void kept() {
            result = 2;
        }

        static MethodHandle handle(String name) throws ReflectiveOperationException {
            return MethodHandles.lookup().findStatic(Holder.class, name, MethodType.methodType(void.class));
        }

        static Runnable lambda() {
            return Holder::spare;
        }
    }
}
