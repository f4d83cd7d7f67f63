package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.text.StringCharacterIterator;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes of several kinds, those that cases use, new in each run, with the class files that they were defined from. */
public final class Edits implements Scenario {
    private static final String KINDS = "jvmticheck/scenarios/EditKinds$";
    private static final int PUBLIC = 0x21;
    private static final int FINAL = 0x10;

    private static final Map<Class<?>, byte[]> FILES = new HashMap<Class<?>, byte[]>();
    private static final Map<String, byte[]> RECORD_FILES = new HashMap<String, byte[]>();

    private final FreshLoader loader = new FreshLoader(EditKinds.class);
    private final boolean reflected;

    public Edits() {
        this(false);
    }

    Edits(boolean reflected) {
        this.reflected = reflected;
    }

    @Override
    public void run() throws Exception {
        Class<?> plain = bind("plain", EditKinds.Plain.class);
        bind("interface", EditKinds.Contract.class);
        bind("enum", EditKinds.Colour.class);
        Class<?> lambdas = bind("lambdas", EditKinds.Lambdas.class);
        bind("outer", EditKinds.Outer.class);
        Class<?> record = bindRecord("record", false);
        Class<?> unseen = bindRecord("unseen_record", true);
        Map<String, Class<?>> later = new EditedKinds(loader).bind();
        if (isUsed("jdk")) {
            Probe.bind("jdk", StringCharacterIterator.class);
            Probe.bind("jdk_file", file(StringCharacterIterator.class));
            Probe.fact("jdk.members", hasMembers(StringCharacterIterator.class) ? 1 : 0);
        }
        if (reflected) {
            state("before", plain, lambdas, record, unseen);
            state("before", later);
        }
        for (Class<?> type : new Class<?>[] {plain, lambdas}) {
            if (type != null) {
                type.getMethod("spare", int.class).invoke(null, 1);
            }
        }
        Probe.checkpoint("ready");
        if (reflected) {
            state("after", plain, lambdas, record, unseen);
            state("after", later);
        }
        stateAnswer("plain", plain);
        stateAnswer("lambdas", lambdas);
        Probe.checkpoint("after");
    }

    /** Whether the class has the fields that the cases edit, and its method `next` instructions: the API promises neither. */
    private static boolean hasMembers(Class<?> type) {
        List<String> fields = new ArrayList<String>();
        for (Field field : type.getDeclaredFields()) {
            fields.add(field.getName());
        }
        return fields.containsAll(Arrays.asList("text", "pos", "begin")) && Bytecodes.of(type, "next") == 1;
    }

    private static void state(String when, Class<?>... types) {
        String[] names = {"plain", "lambdas", "record", "unseen_record"};
        for (int i = 0; i < names.length; i++) {
            if (types[i] != null) {
                Probe.fact(names[i] + "." + when, ReflectedView.of(types[i]));
            }
        }
    }

    private static void state(String when, Map<String, Class<?>> types) {
        for (Map.Entry<String, Class<?>> type : types.entrySet()) {
            Probe.fact(type.getKey() + "." + when, ReflectedView.of(type.getValue()));
        }
    }

    private static void stateAnswer(String kind, Class<?> type) {
        if (type != null) {
            Probe.fact(kind + ".answer", answer(type));
        }
    }

    private static String answer(Class<?> type) {
        try {
            Method answer = type.getMethod("answer");
            return String.valueOf(answer.invoke(null));
        } catch (Exception | LinkageError e) {
            return e.toString();
        }
    }

    /** Whether cases use the class of that kind or its class file. */
    static boolean isUsed(String kind) {
        return Probe.isUsed(kind) || Probe.isUsed(kind + "_file");
    }

    private Class<?> bind(String kind, Class<?> type) throws ClassNotFoundException, IOException {
        return isUsed(kind) ? bind(kind, type.getName(), file(type), loader) : null;
    }

    /** The class file of a class, of which cases get copies: a JVM may run this scenario hundreds of times. */
    private static byte[] file(Class<?> type) throws IOException {
        byte[] known = FILES.get(type);
        if (known == null) {
            known = ClassFile.read(type);
            FILES.put(type, known);
        }
        return known.clone();
    }

    private static Class<?> bind(String kind, String name, byte[] file, FreshLoader loader) throws ClassNotFoundException {
        Class<?> type = loader.define(name, file);
        Class.forName(name, true, loader);
        Probe.bind(kind, type);
        Probe.bind(kind + "_file", file);
        return type;
    }

    /**
     * Binds a record whose component has a signature, an annotation and an annotated type, and before these, if `unseen`,
     * annotations that no reflection shows, where there are records.
     */
    private Class<?> bindRecord(String kind, boolean unseen) throws Exception {
        if (!isUsed(kind)) {
            return null;
        }
        try {
            Class.forName("java.lang.Record");
        } catch (ClassNotFoundException older) {
            return null;
        }
        byte[] file = RECORD_FILES.get(kind);
        if (file == null) {
            file = record(unseen);
            RECORD_FILES.put(kind, file);
        }
        FreshLoader its = unseen ? new FreshLoader(EditKinds.class) : loader;
        return bind(kind, EditKinds.Point.class.getName(), file.clone(), its);
    }

    private static byte[] record(boolean unseen) throws IOException {
        EditedClass file = new EditedClass(EditKinds.Point.class).since(60).withFlags(PUBLIC | FINAL)
                .with(KINDS + "Parent", "java/lang/Record");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort(1);
        out.writeShort(file.text("names"));
        out.writeShort(file.text("Ljava/util/List;"));
        out.writeShort(unseen ? 5 : 3);
        if (unseen) {
            writeAnnotation(out, file, "RuntimeInvisibleAnnotations", "Sign");
            writeTypeAnnotation(out, file, "RuntimeInvisibleTypeAnnotations", "Of");
        }
        out.writeShort(file.text("Signature"));
        out.writeInt(2);
        out.writeShort(file.text("Ljava/util/List<Ljava/lang/String;>;"));
        writeAnnotation(out, file, "RuntimeVisibleAnnotations", "Sign");
        writeTypeAnnotation(out, file, "RuntimeVisibleTypeAnnotations", "Of");
        return file.withAttribute("Record", bytes.toByteArray()).bytes();
    }

    /** An attribute with one annotation. */
    private static void writeAnnotation(DataOutputStream out, EditedClass file, String name, String type) throws IOException {
        out.writeShort(file.text(name));
        out.writeInt(6);
        out.writeShort(1);
        out.writeShort(file.text("L" + KINDS + type + ";"));
        out.writeShort(0);
    }

    /** An attribute with one annotation of the component's type. */
    private static void writeTypeAnnotation(DataOutputStream out, EditedClass file, String name, String type) throws IOException {
        out.writeShort(file.text(name));
        out.writeInt(8);
        out.writeShort(1);
        out.writeByte(0x13);
        out.writeByte(0);
        out.writeShort(file.text("L" + KINDS + type + ";"));
        out.writeShort(0);
    }
}
