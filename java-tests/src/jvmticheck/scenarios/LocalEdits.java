package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The classes of `LocalKinds`, new in each run, with their class files and with what reflection says before and after `ready`. */
public final class LocalEdits implements Scenario {
    private final FreshLoader loader = new FreshLoader(LocalKinds.class);
    private final Map<String, Class<?>> bound = new LinkedHashMap<String, Class<?>>();

    @Override
    public void run() throws Exception {
        Class<?> outer = loader.initialised(LocalKinds.class.getName());
        if (isUsed("initialiser")) {
            bind("initialiser", field(outer).getClass());
        }
        if (isUsed("anonymous")) {
            bind("anonymous", made(outer, "anonymous", String.class, int.class).getClass());
        }
        if (isUsed("local")) {
            bind("local", made(outer, "local", Map.class).getClass());
        }
        if (isUsed("annotation")) {
            bind("annotation", loader.initialised(LocalKinds.Every.class.getName()));
        }
        if (isUsed("annotated")) {
            bind("annotated", loader.initialised(LocalKinds.Annotated.class.getName()));
        }
        state("before");
        Probe.checkpoint("ready");
        state("after");
        stateFresh();
        Probe.checkpoint("after");
    }

    /** What reflection says of the classes of another class loader, whose class files an agent may replace when they are loaded. */
    private void stateFresh() throws ClassNotFoundException {
        FreshLoader another = new FreshLoader(LocalKinds.class);
        for (Map.Entry<String, Class<?>> type : bound.entrySet()) {
            Probe.fact(type.getKey() + ".fresh", of(Class.forName(type.getValue().getName(), false, another)));
        }
    }

    private static boolean isUsed(String kind) {
        return Probe.isUsed(kind) || Probe.isUsed(kind + "_file");
    }

    private static Object field(Class<?> outer) throws ReflectiveOperationException {
        java.lang.reflect.Field field = outer.getDeclaredField("IN_INITIALISER");
        field.setAccessible(true);
        return field.get(null);
    }

    private static Object made(Class<?> outer, String name, Class<?>... types) throws ReflectiveOperationException {
        Method method = outer.getDeclaredMethod(name, types);
        method.setAccessible(true);
        return types.length == 1 ? method.invoke(null, new Object[] {null}) : method.invoke(null, "text", 1);
    }

    private void bind(String kind, Class<?> type) throws IOException {
        bound.put(kind, type);
        Probe.bind(kind, type);
        Probe.bind(kind + "_file", ClassFile.read(type));
    }

    private void state(String when) {
        for (Map.Entry<String, Class<?>> type : bound.entrySet()) {
            Probe.fact(type.getKey() + "." + when, of(type.getValue()));
        }
    }

    /** What reflection says about the class. Of an annotation, the defaults of its elements, which are arrays, too. */
    private static String of(Class<?> type) {
        if (!type.isAnnotation()) {
            return ReflectedView.of(type);
        }
        List<String> lines = new ArrayList<String>();
        for (Method element : type.getDeclaredMethods()) {
            lines.add(element.toGenericString() + " " + Arrays.deepToString(new Object[] {element.getDefaultValue()}));
        }
        Collections.sort(lines);
        return lines.toString();
    }
}
