package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The classes of the JDK that are loaded, each with its class file. */
public final class LoadedClasses implements Scenario {
    /** Classes of many kinds besides those that every program loads; some only later releases have. */
    private static final String[] MORE = {"jdk.internal.reflect.ConstantPool",
        "sun.reflect.ConstantPool", "java.util.concurrent.ConcurrentSkipListMap", "java.util.stream.ReferencePipeline",
        "java.time.LocalDateTime", "java.time.DayOfWeek", "java.util.regex.Pattern", "java.math.BigInteger", "java.util.Formatter",
        "java.util.concurrent.CompletableFuture", "java.util.Comparator", "java.util.Map", "java.util.function.Function",
        "java.lang.annotation.Retention", "java.util.Locale", "java.text.SimpleDateFormat", "java.util.zip.ZipFile",
        "java.net.URI", "java.nio.ByteBuffer", "java.lang.constant.ClassDesc", "java.lang.ModuleLayer", "java.lang.Record",
        "java.lang.ScopedValue", "java.util.concurrent.StructuredTaskScope", "java.lang.foreign.MemorySegment",
        "java.util.SequencedMap", "java.util.HexFormat", "java.lang.StrictMath", "java.util.concurrent.ForkJoinPool",
        "java.lang.invoke.MethodHandles$Lookup", "java.lang.invoke.VarHandle", "java.util.ServiceLoader", "java.security.Provider"};
    /** The most that the class files may take together, and one of them. */
    private static final int ROOM = 5 << 20;
    private static final int LARGEST = 100 << 10;

    static int sum;

    @Override
    public void run() throws Exception {
        Set<Class<?>> classes = new LinkedHashSet<Class<?>>();
        classes.add(Throwable.class);
        for (String name : MORE) {
            try {
                classes.add(Class.forName(name));
            } catch (ClassNotFoundException older) {
                continue;
            }
        }
        callByHandle();
        classes.addAll(Arrays.asList(Probe.loadedClasses()));
        state("loaded", classes.toArray(new Class<?>[0]));
        state("handles", new Class<?>[] {MethodHandle.class});
        byte[] ofHandles = file(MethodHandle.class);
        Probe.fact("handles.same", ofHandles != null && DeclaredMethods.areThoseOf(ofHandles, MethodHandle.class) ? 1 : 0);
        Probe.checkpoint("ready");
    }

    /** Makes a JVM link what calls methods of handles. */
    private static void callByHandle() throws ReflectiveOperationException {
        MethodType type = MethodType.methodType(int.class, int.class, Object.class);
        MethodHandle handle = MethodHandles.lookup().findStatic(LoadedClasses.class, "called", type);
        try {
            sum = (int) handle.invokeExact(1, (Object) "one") + (int) handle.invoke(2, (Object) "two");
        } catch (Throwable thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    private static int called(int number, Object text) {
        return number;
    }

    /** Binds those that have class files, and states these. */
    static void state(String name, Class<?>[] classes) throws IOException {
        List<Class<?>> chosen = new ArrayList<Class<?>>();
        ByteArrayOutputStream files = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(files);
        for (Class<?> type : classes) {
            byte[] file = name.equals("own") || isOfJdk(type) ? file(type) : null;
            if (file != null && file.length < LARGEST && files.size() + file.length < ROOM) {
                chosen.add(type);
                out.writeInt(file.length);
                out.write(file);
            }
        }
        Probe.bind(name, chosen.toArray(new Class<?>[0]));
        Probe.fact(name + ".files", files.toByteArray());
        Probe.fact(name + ".count", chosen.size());
    }

    /**
     * Whether it comes from a class file of the JDK. The JDK generates its `Holder` classes anew when it is built, and its flight
     * recorder may add methods to event classes when they are loaded.
     */
    private static boolean isOfJdk(Class<?> type) {
        String name = type.getName();
        return type.getClassLoader() == null && !type.isArray() && !type.isPrimitive() && name.indexOf('/') < 0
                && !name.startsWith("jdk.internal.event.") && !(name.startsWith("java.lang.invoke.") && name.endsWith("$Holder"));
    }

    private static byte[] file(Class<?> type) throws IOException {
        String resource = type.getName().replace('.', '/') + ".class";
        ClassLoader loader = type.getClassLoader();
        try (InputStream in = loader == null ? ClassLoader.getSystemResourceAsStream(resource) : loader.getResourceAsStream(resource)) {
            if (in == null) {
                return null;
            }
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            byte[] buffer = new byte[16384];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
            return out.toByteArray();
        }
    }
}
