package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods that are reached in several ways, hundreds or thousands of times before an agent changes them. Each run has new classes. */
public final class Reached implements Scenario {
    private static final String OLD = "old version";
    private static final String NEW = "new version";
    private static final String[] WAYS = {
        "static", "virtual", "interface", "default", "super", "constructor", "static_handle", "virtual_handle", "constructor_handle",
        "bound_handle", "guarded_handle", "reference", "lambda", "reflected",
    };
    /** Calls that are enough for a quick compiler to take notice. */
    private static final int HUNDREDS = 800;
    /** Calls that are enough for any compiler. */
    private static final int THOUSANDS = 30000;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        for (String way : WAYS) {
            reach(way, way + "_hundreds", HUNDREDS);
            reach(way, way + "_thousands", THOUSANDS);
        }
    }

    private static void reach(String way, String checkpoint, int times) throws Exception {
        if (!Probe.isUsed(checkpoint)) {
            return;
        }
        FreshLoader loader = new FreshLoader(To.class);
        Class<?> target = loader.initialised(target(way));
        Caller caller = (Caller) loader.made(ToCall.class);
        for (int i = 0; i < times; i++) {
            caller.call(way);
        }
        Probe.bind("target", target);
        Probe.bind("edited", edited(target));
        Probe.checkpoint(checkpoint);
        Probe.fact(checkpoint, String.valueOf(caller.call(way)));
        Probe.checkpoint("done");
    }

    /** The name of the class that has the method which is called in that way. */
    private static String target(String way) {
        StringBuilder name = new StringBuilder(To.class.getName());
        for (String word : way.split("_")) {
            name.append(Character.toUpperCase(word.charAt(0))).append(word.substring(1));
        }
        return name.toString();
    }

    /** Its class file, with another text of the same length. */
    private static byte[] edited(Class<?> target) throws IOException {
        String file = new String(ClassFile.read(target), StandardCharsets.ISO_8859_1);
        return file.replace(OLD, NEW).getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Calls a method in one of the ways. */
    public interface Caller {
        Object call(String way) throws Exception;
    }

    /** Its name is what the names of all new classes begin with. */
    interface To {
    }

    interface ToStatic {
        static String of() {
            return OLD;
        }
    }

    static class ToVirtual {
        String of() {
            return OLD;
        }
    }

    interface ToView {
        String of();
    }

    static class ToInterface implements ToView {
        @Override
        public String of() {
            return OLD;
        }
    }

    interface ToDefault {
        default String of() {
            return OLD;
        }
    }

    static class ToDefaulting implements ToDefault {
    }

    static class ToSuper {
        String of() {
            return OLD;
        }
    }

    static class ToSub extends ToSuper {
        @Override
        String of() {
            return super.of();
        }
    }

    static class ToConstructor {
        final String made;

        ToConstructor() {
            made = OLD;
        }
    }

    interface ToStaticHandle {
        static String of() {
            return OLD;
        }
    }

    static class ToVirtualHandle {
        String of() {
            return OLD;
        }
    }

    static class ToConstructorHandle {
        final String made;

        ToConstructorHandle() {
            made = OLD;
        }
    }

    static class ToBoundHandle {
        String of() {
            return OLD;
        }
    }

    interface ToGuardedHandle {
        static String of() {
            return OLD;
        }
    }

    interface ToReference {
        static String of() {
            return OLD;
        }
    }

    interface ToLambda {
        static Callable<String> of() {
            return () -> OLD;
        }
    }

    interface ToReflected {
        static String of() {
            return OLD;
        }
    }

    /** A method for each way, so that a compiler may make the called one a part of it. */
    public static final class ToCall implements Caller {
        private static final MethodType TEXT = MethodType.methodType(String.class);
        private static final MethodHandle STATIC = handle("static");
        private static final MethodHandle VIRTUAL = handle("virtual");
        private static final MethodHandle CONSTRUCTOR = handle("constructor");
        private static final MethodHandle BOUND = handle("bound");
        private static final MethodHandle GUARDED = handle("guarded");
        private static final Callable<String> REFERENCE = ToReference::of;
        private static final Callable<String> LAMBDA = ToLambda.of();

        private final ToVirtual virtual = new ToVirtual();
        private final ToView view = new ToInterface();
        private final ToDefault defaulting = new ToDefaulting();
        private final ToSuper sub = new ToSub();
        private final ToVirtualHandle handled = new ToVirtualHandle();
        private final Method reflected = reflected();

        private static MethodHandle handle(String kind) {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            try {
                switch (kind) {
                    case "static": return lookup.findStatic(ToStaticHandle.class, "of", TEXT);
                    case "virtual": return lookup.findVirtual(ToVirtualHandle.class, "of", TEXT);
                    case "constructor": return lookup.findConstructor(ToConstructorHandle.class, MethodType.methodType(void.class));
                    case "bound": return lookup.bind(new ToBoundHandle(), "of", TEXT);
                    default: return MethodHandles.guardWithTest(
                            MethodHandles.constant(boolean.class, true),
                            lookup.findStatic(ToGuardedHandle.class, "of", TEXT),
                            MethodHandles.constant(String.class, "never"));
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        private static Method reflected() {
            try {
                Method method = ToReflected.class.getDeclaredMethod("of");
                method.setAccessible(true);
                return method;
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Object call(String way) throws Exception {
            try {
                switch (way) {
                    case "static": return callStatic();
                    case "virtual": return callVirtual();
                    case "interface": return callInterface();
                    case "default": return callDefault();
                    case "super": return callSuper();
                    case "constructor": return callConstructor();
                    case "static_handle": return callStaticHandle();
                    case "virtual_handle": return callVirtualHandle();
                    case "constructor_handle": return callConstructorHandle();
                    case "bound_handle": return callBoundHandle();
                    case "guarded_handle": return callGuardedHandle();
                    case "reference": return callReference();
                    case "lambda": return callLambda();
                    default: return callReflected();
                }
            } catch (Exception e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        private String callStatic() {
            return ToStatic.of();
        }

        private String callVirtual() {
            return virtual.of();
        }

        private String callInterface() {
            return view.of();
        }

        private String callDefault() {
            return defaulting.of();
        }

        private String callSuper() {
            return sub.of();
        }

        private String callConstructor() {
            return new ToConstructor().made;
        }

        private String callStaticHandle() throws Throwable {
            return (String) STATIC.invokeExact();
        }

        private String callVirtualHandle() throws Throwable {
            return (String) VIRTUAL.invokeExact(handled);
        }

        private String callConstructorHandle() throws Throwable {
            return ((ToConstructorHandle) CONSTRUCTOR.invokeExact()).made;
        }

        private String callBoundHandle() throws Throwable {
            return (String) BOUND.invokeExact();
        }

        private String callGuardedHandle() throws Throwable {
            return (String) GUARDED.invokeExact();
        }

        private String callReference() throws Exception {
            return REFERENCE.call();
        }

        private String callLambda() throws Exception {
            return LAMBDA.call();
        }

        private Object callReflected() throws Exception {
            return reflected.invoke(null);
        }
    }
}
