package jvmticheck.scenarios;

import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Two classes that are new in each run, with class files that redefinition must not accept for them. */
public final class Redefinitions implements Scenario {
    private static final String OUTER = "jvmticheck/scenarios/Redefinitions$";
    /** `bipush 77; ireturn`. */
    private static final byte[] RETURN_77 = {0x10, 77, (byte) 0xac};
    private static final byte[] RETURN_78 = {0x10, 78, (byte) 0xac};
    private static final int PUBLIC = 0x21;
    private static final int FINAL = 0x10;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Redefinitions.class);
        Class<?> type = loader.initialised(Original.class.getName());
        Class<?> other = loader.initialised(Second.class.getName());
        Probe.bind("class", type);
        Probe.bind("other", other);
        Probe.bind("changed", original().with(RETURN_77, RETURN_78).bytes());
        Probe.bind("other_changed", new EditedClass(Second.class).with(RETURN_77, RETURN_78).bytes());
        bindMembers();
        Probe.bind("superclass_changed", original().with(OUTER + "Parent", OUTER + "Father").bytes());
        Probe.bind("interface_changed", original().with(OUTER + "Left", OUTER + "Right").bytes());
        Probe.bind("circular", original().with(OUTER + "Parent", OUTER + "Original").bytes());
        Probe.bind("class_modifiers_changed", original().withFlags(PUBLIC | FINAL).bytes());
        Probe.bind("class_renamed", original().with(OUTER + "Original", OUTER + "Renamed").bytes());
        Probe.bind("unverifiable", original().with(RETURN_77, new byte[] {0x01, 0, (byte) 0xac}).bytes());
        Probe.bind("version_unknown", original().ofVersion(0x7f00).bytes());
        byte[] garbled = original().bytes();
        garbled[0] = 0;
        Probe.bind("garbled", garbled);
        byte[] bytes = original().bytes();
        byte[] truncated = new byte[bytes.length / 2];
        System.arraycopy(bytes, 0, truncated, 0, truncated.length);
        Probe.bind("truncated", truncated);
        bindAttributes();
        bindRecord(loader);
        Probe.checkpoint("ready");
        Probe.fact("after", (Integer) type.getMethod("method").invoke(null));
        Probe.fact("other.after", (Integer) other.getMethod("method").invoke(null));
        Probe.checkpoint("after");
    }

    private static EditedClass original() throws IOException {
        return new EditedClass(Original.class);
    }

    /** Each version that differs in a field or a method is a class of its own here, which is renamed. */
    private static void bindMembers() throws IOException {
        Class<?>[] types = {FieldAdded.class, FieldRemoved.class, FieldTypeChanged.class, FieldModifiersChanged.class,
            InterfaceAdded.class, InterfaceRemoved.class, MethodAdded.class, MethodDeleted.class,
            MethodSignatureChanged.class, MethodModifiersChanged.class};
        for (Class<?> type : types) {
            String words = type.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase();
            Probe.bind(words, new EditedClass(type).with(type.getSimpleName(), "Original").bytes());
        }
        Probe.bind("field_renamed", original().with("field", "fold").bytes());
        Probe.bind("method_renamed", original().with("spare", "other").bytes());
    }

    private static void bindAttributes() throws IOException {
        EditedClass host = original().since(55);
        Probe.bind("nest_host_changed", host.withAttribute("NestHost", host.type(OUTER + "Parent")).bytes());
        EditedClass members = original().since(55);
        Probe.bind("nest_members_changed", members.withAttribute("NestMembers", 1, members.type(OUTER + "Parent")).bytes());
        EditedClass sealed = original().since(61);
        Probe.bind("permitted_subclasses_changed",
                sealed.withAttribute("PermittedSubclasses", 1, sealed.type(OUTER + "Parent")).bytes());
    }

    /** Binds a record, in releases that have records. */
    private static void bindRecord(FreshLoader loader) throws IOException {
        try {
            Class.forName("java.lang.Record");
        } catch (ClassNotFoundException older) {
            return;
        }
        Probe.bind("record", loader.define(Third.class.getName(), record("component")));
        Probe.bind("record_changed", record("another"));
    }

    private static byte[] record(String component) throws IOException {
        EditedClass file = new EditedClass(Third.class).since(60).withFlags(PUBLIC | FINAL)
                .with(OUTER + "Parent", "java/lang/Record");
        return file.withAttribute("Record", 1, file.text(component), file.text("I"), 0).bytes();
    }

    /** A superclass. */
    public static class Parent {
    }

    /** Another superclass. */
    public static class Father {
    }

    /** An interface. */
    public interface Left {
    }

    /** Another interface. */
    public interface Right {
    }

    /** The class that an agent redefines. */
    public static class Original extends Parent implements Left {
        public int field;

        public static int method() {
            return 77;
        }

        public static void spare(int parameter) {
        }
    }

    /** Another class. */
    public static class Second extends Parent {
        public static int method() {
            return 77;
        }
    }

    /** The class that becomes a record. */
    public static class Third extends Parent {
    }

    /** The class with one more field. */
    public static class FieldAdded extends Parent implements Left {
        public int field;
        public int more;

        public static int method() {
            return 77;
        }

        public static void spare(int parameter) {
        }
    }

    /** The class without its field. */
    public static class FieldRemoved extends Parent implements Left {
        public static int method() {
            return 77;
        }

        public static void spare(int parameter) {
        }
    }

    /** The class with a field of another type. */
    public static class FieldTypeChanged extends Parent implements Left {
        public float field;

        public static int method() {
            return 77;
        }

        public static void spare(int parameter) {
        }
    }

    /** The class with other modifiers of the field. */
    public static class FieldModifiersChanged extends Parent implements Left {
        protected int field;

        public static int method() {
            return 77;
        }

        public static void spare(int parameter) {
        }
    }

    /** The class with one more interface. */
    public static class InterfaceAdded extends Parent implements Left, Right {
        public int field;

        public static int method() {
            return 77;
        }

        public static void spare(int parameter) {
        }
    }

    /** The class without its interface. */
    public static class InterfaceRemoved extends Parent {
        public int field;

        public static int method() {
            return 77;
        }

        public static void spare(int parameter) {
        }
    }

    /** The class with one more method. */
    public static class MethodAdded extends Parent implements Left {
        public int field;

        public static int method() {
            return 77;
        }

        public static void spare(int parameter) {
        }

        public void more() {
        }
    }

    /** The class without one of its methods. */
    public static class MethodDeleted extends Parent implements Left {
        public int field;

        public static int method() {
            return 77;
        }
    }

    /** The class with another type of a parameter. */
    public static class MethodSignatureChanged extends Parent implements Left {
        public int field;

        public static int method() {
            return 77;
        }

        public static void spare(long parameter) {
        }
    }

    /** The class with other modifiers of a method. */
    public static class MethodModifiersChanged extends Parent implements Left {
        public int field;

        public static int method() {
            return 77;
        }

        protected static void spare(int parameter) {
        }
    }
}
