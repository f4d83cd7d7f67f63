package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

import jvmticheck.Probe;

/** The classes of `Edits` that only later releases have: a nest, a sealed class, a hidden class. */
final class EditedKinds {
    private static final String KINDS = "jvmticheck/scenarios/EditKinds$";
    /** The versions of class files that say of which nest a class is, and which subclasses it permits. */
    private static final int NESTS = 55;
    private static final int SEALED = 61;

    private static final Map<String, byte[]> FILES = new HashMap<String, byte[]>();

    private final FreshLoader loader;
    private final Map<String, Class<?>> bound = new LinkedHashMap<String, Class<?>>();

    EditedKinds(FreshLoader loader) {
        this.loader = loader;
    }

    /** Binds those that cases use and this JVM can have, and returns them by their names. */
    Map<String, Class<?>> bind() throws Exception {
        if ((Edits.isUsed("host") || Edits.isUsed("member")) && has("getNestHost")) {
            bind("host", EditKinds.Host.class);
            bind("member", EditKinds.Host.Member.class);
            define("mate", EditKinds.Host.Mate.class);
        }
        if (Edits.isUsed("sealed") && has("isSealed") && has("isRecord") && release() >= SEALED) {
            bind("sealed", EditKinds.Sealed.class);
        }
        if (Edits.isUsed("hidden") && has("isHidden")) {
            bindHidden();
        }
        return bound;
    }

    private static boolean has(String getter) {
        try {
            Class.class.getMethod(getter);
            return true;
        } catch (NoSuchMethodException older) {
            return false;
        }
    }

    private static int release() {
        return (int) Float.parseFloat(System.getProperty("java.class.version"));
    }

    private void bind(String kind, Class<?> type) throws IOException, ClassNotFoundException {
        byte[] file = define(kind, type);
        Class<?> defined = Class.forName(type.getName(), true, loader);
        bound.put(kind, defined);
        Probe.bind(kind, defined);
        Probe.bind(kind + "_file", file.clone());
    }

    /** Defines the class, and returns its class file. A JVM may run the scenario hundreds of times. */
    private byte[] define(String kind, Class<?> type) throws IOException {
        byte[] file = FILES.get(kind);
        if (file == null) {
            file = file(kind, new EditedClass(type));
            FILES.put(kind, file);
        }
        loader.define(type.getName(), file.clone());
        return file;
    }

    private static byte[] file(String kind, EditedClass file) throws IOException {
        switch (kind) {
            case "host":
                file.since(NESTS).withAttribute("NestMembers", 2, file.type(KINDS + "Host$Member"), file.type(KINDS + "Host$Mate"));
                break;
            case "member":
            case "mate":
                file.since(NESTS).withAttribute("NestHost", file.type(KINDS + "Host"));
                break;
            default:
                file.since(SEALED).withAttribute("PermittedSubclasses", 2, file.type(KINDS + "Sealed$First"),
                        file.type(KINDS + "Sealed$Second"));
        }
        return file.bytes();
    }

    /** By reflection because this code is compiled for JDK 8. */
    private void bindHidden() throws Exception {
        byte[] file = ClassFile.read(EditKinds.Father.class);
        Object none = Array.newInstance(Class.forName("java.lang.invoke.MethodHandles$Lookup$ClassOption"), 0);
        Method define = MethodHandles.Lookup.class.getMethod("defineHiddenClass", byte[].class, boolean.class, none.getClass());
        Object lookup = define.invoke(MethodHandles.lookup(), file, true, none);
        Class<?> hidden = ((MethodHandles.Lookup) lookup).lookupClass();
        bound.put("hidden", hidden);
        Probe.bind("hidden", hidden);
        Probe.bind("hidden_file", file);
    }
}
