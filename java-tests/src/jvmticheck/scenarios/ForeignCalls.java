package jvmticheck.scenarios;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Optional;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Native code that calls the method `compare` by a function pointer: the C function `qsort`, which sorts two numbers. The foreign function
 * interface makes the function pointer, and passes addresses as numbers here. The scenario finds the interface by reflection, because
 * older releases do not have it.
 */
public final class ForeignCalls implements Scenario {
    /** Calls that are enough for a compiler to take notice. */
    private static final int OFTEN = 30000;
    private static final String PACKAGE = "java.lang.foreign.";

    /** How often `compare` has been called. */
    static int compared;

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        Sort sort = null;
        try {
            sort = new Sort();
        } catch (InvocationTargetException e) {
            if (!(e.getCause() instanceof UnsupportedOperationException)) {
                throw e;
            }
        }
        Probe.fact("foreign", sort == null ? 0 : 1);
        for (int i = 0; sort != null && i < OFTEN; i++) {
            sort.call();
        }
        compared = 0;
        Probe.checkpoint("often");
        if (sort != null) {
            sort.call();
        }
        Probe.checkpoint("done");
        Probe.fact("compared", compared);
    }

    /** What native code calls. */
    static int compare(long address, long other) {
        compared = compared + 1;
        return 0;
    }

    /** A call of `qsort` for two numbers. */
    private static final class Sort {
        private final MethodHandle function;
        private final long numbers;
        private final long comparison;

        Sort() throws ReflectiveOperationException {
            Object linker = type("Linker").getMethod("nativeLinker").invoke(null);
            Object arena = type("Arena").getMethod("global").invoke(null);
            Object symbols = type("Linker").getMethod("defaultLookup").invoke(linker);
            Optional<?> qsort = (Optional<?>) type("SymbolLookup").getMethod("find", String.class).invoke(symbols, "qsort");
            Object number = type("ValueLayout").getField("JAVA_LONG").get(null);
            Object answer = type("ValueLayout").getField("JAVA_INT").get(null);
            Object none = Array.newInstance(type("Linker$Option"), 0);
            Class<?> layouts = Array.newInstance(type("MemoryLayout"), 0).getClass();
            Object sorts = type("FunctionDescriptor").getMethod("ofVoid", layouts).invoke(null, (Object) array(number, 4));
            Object compares = type("FunctionDescriptor").getMethod("of", type("MemoryLayout"), layouts)
                    .invoke(null, answer, array(number, 2));
            MethodHandle compare = MethodHandles.lookup().findStatic(ForeignCalls.class, "compare",
                    MethodType.methodType(int.class, long.class, long.class));
            Method downcall = type("Linker").getMethod("downcallHandle", type("MemorySegment"), type("FunctionDescriptor"), none.getClass());
            Method upcall = type("Linker").getMethod("upcallStub", MethodHandle.class, type("FunctionDescriptor"), type("Arena"), none.getClass());
            Method address = type("MemorySegment").getMethod("address");
            function = (MethodHandle) downcall.invoke(linker, qsort.get(), sorts, none);
            comparison = (Long) address.invoke(upcall.invoke(linker, compare, compares, arena, none));
            numbers = (Long) address.invoke(type("SegmentAllocator").getMethod("allocate", long.class).invoke(arena, 16));
        }

        private static Class<?> type(String name) throws ClassNotFoundException {
            return Class.forName(PACKAGE + name);
        }

        private static Object array(Object layout, int length) throws ClassNotFoundException {
            Object array = Array.newInstance(type("MemoryLayout"), length);
            for (int i = 0; i < length; i++) {
                Array.set(array, i, layout);
            }
            return array;
        }

        void call() throws Exception {
            try {
                function.invokeExact(numbers, 2L, 8L, comparison);
            } catch (Throwable e) {
                throw new Exception(e);
            }
        }
    }
}
