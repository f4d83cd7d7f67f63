package jvmticheck.scenarios;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class and an interface that are new in each run, whose methods return 10 and are called in many ways before and afterwards. */
public final class Invoked implements Scenario {
    /** More calls than any JVM takes to link, inflate and compile. */
    private static final int CALLS = 10_000;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Invoked.class);
        for (Class<?> type : new Class<?>[] {Face.class, Base.class}) {
            byte[] file = new EditedClass(type).bytes();
            Class<?> defined = loader.define(type.getName(), file);
            Probe.bind(type == Face.class ? "interface" : "class", defined);
            Probe.bind(type == Face.class ? "interface_file" : "class_file", file);
        }
        BeforeAndAfter.tell((Callable<?>) loader.made(Ways.class), CALLS);
        Probe.checkpoint("after");
    }

    /** An interface with a body. */
    public interface Face {
        default int given() {
            return 10;
        }

        default int overridden() {
            return 10;
        }
    }

    /** A class with methods of every kind. */
    public static class Base implements Face {
        public final int made;

        public Base() {
            made = 10;
        }

        public static int ofClass() {
            return 10;
        }

        public int ofObject() {
            return 10;
        }

        public final int last() {
            return 10;
        }

        private int own() {
            return 10;
        }

        public int callsOwn() {
            return own();
        }

        public synchronized int locked() {
            return 10;
        }

        @Override
        public int overridden() {
            return 10;
        }
    }

    /** A subclass that inherits most of them. */
    public static class Derived extends Base {
        public int above() {
            return super.ofObject();
        }
    }

    /** Another implementation of the interface, which inherits its bodies. */
    public static class Implementation implements Face {
        public int above() {
            return Face.super.given();
        }
    }

    /** Calls them, and returns the results of the class and those of the interface. */
    public static final class Ways implements Callable<String> {
        private final Base base = new Base();
        private final Derived derived = new Derived();
        private final Base asBase = derived;
        private final Face asFace = derived;
        private final Implementation implementation = new Implementation();
        private final Face other = implementation;
        private final Callable<Integer> reference = base::ofObject;
        private final Callable<Integer> ofClass = Base::ofClass;
        private final Callable<Integer> given = other::given;
        private final Method method = Base.class.getMethod("ofObject");
        private final Method ofClassMethod = Base.class.getMethod("ofClass");
        private final Method givenMethod = Face.class.getMethod("given");
        private final MethodHandle handle = MethodHandles.lookup().findVirtual(Base.class, "ofObject", MethodType.methodType(int.class));
        private final MethodHandle direct = MethodHandles.lookup().findStatic(Base.class, "ofClass", MethodType.methodType(int.class));
        private final MethodHandle through = MethodHandles.lookup().findVirtual(Face.class, "given", MethodType.methodType(int.class));
        private final MethodHandle maker = MethodHandles.lookup().findConstructor(Base.class, MethodType.methodType(void.class));

        public Ways() throws ReflectiveOperationException {
        }

        @Override
        public String call() throws Exception {
            try {
                return all(ofClass()) + " " + all(ofInterface());
            } catch (Throwable t) {
                throw new Exception(t);
            }
        }

        private List<Integer> ofClass() throws Throwable {
            return Arrays.asList(Base.ofClass(), base.ofObject(), derived.ofObject(), asBase.ofObject(), derived.above(), base.last(),
                    asBase.callsOwn(), base.locked(), asFace.overridden(), new Base().made, new Derived().made, reference.call(),
                    ofClass.call(), (Integer) method.invoke(derived), (Integer) ofClassMethod.invoke(null),
                    (int) handle.invokeExact(base), (int) direct.invokeExact(), ((Base) maker.invokeExact()).made);
        }

        private List<Integer> ofInterface() throws Throwable {
            return Arrays.asList(asFace.given(), base.given(), derived.given(), implementation.given(), implementation.above(),
                    other.given(), other.overridden(), given.call(), (Integer) givenMethod.invoke(derived), (int) through.invokeExact(other));
        }

        /** The number that all are, or all of them. */
        private static String all(List<Integer> numbers) {
            return new HashSet<Integer>(numbers).size() == 1 ? numbers.get(0).toString() : numbers.toString();
        }
    }
}
