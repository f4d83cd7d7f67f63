package jvmticheck.scenarios;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes of every kind, initialised, and what reflection reports about each. */
public final class ClassShapes implements Scenario {
    @Override
    public void run() throws Exception {
        Map<String, Class<?>> classes = new LinkedHashMap<String, Class<?>>();
        classes.put("plain", ClassShapes.class);
        classes.put("interface", Shapes.Interface.class);
        classes.put("subinterface", Shapes.Subinterface.class);
        classes.put("abstract", Shapes.Abstract.class);
        classes.put("concrete", Shapes.Concrete.class);
        classes.put("enum", Shapes.Enum.class);
        classes.put("annotation", Shapes.Annotation.class);
        classes.put("generic", Shapes.Generic.class);
        classes.put("inner", Shapes.Inner.class);
        classes.put("empty", Shapes.Empty.class);
        classes.put("members", Shapes.Members.class);
        classes.put("unicode", Shapes.\u00c9t\u00e9\u0444.class);
        classes.put("local", new Shapes().local());
        classes.put("anonymous", new Shapes().anonymous());
        classes.put("lambda", new Shapes().lambda());
        classes.put("object", Object.class);
        classes.put("array", int[].class);
        classes.put("object_array", Shapes.Members[].class);
        classes.put("array_of_arrays", long[][].class);
        classes.put("primitive", int.class);
        classes.put("void", void.class);
        for (Map.Entry<String, Class<?>> entry : classes.entrySet()) {
            Class<?> type = entry.getValue();
            if (!type.isArray() && !type.isPrimitive() && !type.isSynthetic()) {
                Class.forName(type.getName(), true, type.getClassLoader());
            }
            Probe.bind(entry.getKey(), type);
            state(entry.getKey(), type);
        }
        Probe.bind("loader", ClassShapes.class.getClassLoader());
        Probe.fact("generic.generic", Shapes.Generic.SIGNATURE);
        Probe.fact("plain.source", "ClassShapes.java");
        Probe.fact("members.initialiser", 1);
        List<String> fields = new ClassFile(Shapes.Members.class).fields;
        for (int i = 0; i < fields.size(); i++) {
            Probe.fact("members.field-" + i, fields.get(i));
        }
        Probe.checkpoint("ready");
    }

    private static void state(String name, Class<?> type) throws ReflectiveOperationException {
        StringBuilder interfaces = new StringBuilder();
        for (Class<?> each : type.getInterfaces()) {
            interfaces.append(interfaces.length() == 0 ? "" : " ").append(each.getName());
        }
        Probe.fact(name + ".signature", signature(type));
        Probe.fact(name + ".modifiers", type.getModifiers());
        Probe.fact(name + ".interfaces", interfaces.toString());
        Probe.fact(name + ".is-interface", type.isInterface() ? 1 : 0);
        Probe.fact(name + ".is-array", type.isArray() ? 1 : 0);
        Probe.fact(name + ".has-loader", type.getClassLoader() != null ? 1 : 0);
        // Reflection hides members of classes in java.lang.
        if (type != Object.class) {
            Probe.fact(name + ".fields", type.getDeclaredFields().length);
            Probe.fact(name + ".methods", type.getDeclaredMethods().length + type.getDeclaredConstructors().length);
        }
    }

    /** The same as `Class.descriptorString`, which exists since JDK 12; hidden classes, which need it, exist since JDK 15. */
    private static String signature(Class<?> type) throws ReflectiveOperationException {
        for (Method method : Class.class.getMethods()) {
            if (method.getName().equals("descriptorString")) {
                return (String) method.invoke(type);
            }
        }
        String ofArray = java.lang.reflect.Array.newInstance(type == void.class ? int.class : type, 0).getClass().getName();
        return type == void.class ? "V" : ofArray.substring(1).replace('.', '/');
    }
}
