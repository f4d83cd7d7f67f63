package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import jvmticheck.Probe;

/**
 * A class that is new in each run. Its static method `pass` is given an object, calls the method `reach` of the scenario while the object is in a
 * variable, and returns what the variable has then. The scenario says of which instructions it consists. The loader of the new class also
 * loads the scenario once more, which therefore extends a class of another loader: this one is public.
 */
public abstract class PassedObject {
    static final String OBJECT = "Ljava/lang/Object;";
    /** The constant that stands for `reach`. */
    static final int REACH = 5;
    private static final int TEXTS = 6;

    /** The parameters of `pass`. */
    private final String parameters;
    private final int locals;
    private final int[] code;
    private final Variable[] variables;

    protected PassedObject(String parameters, int locals, int[] code, Variable... variables) {
        this.parameters = parameters;
        this.locals = locals;
        this.code = code;
        this.variables = variables;
    }

    /** Has the method pass the object, and tells by the fact `returned` which one it has returned. */
    final void pass(Object... arguments) throws Exception {
        Object object = arguments[0];
        Object other = new Object();
        Probe.bind("object", object);
        Probe.bind("other", other);
        Class<?> type = new FreshLoader(getClass()).define(null, file());
        Object returned = type.getDeclaredMethods()[0].invoke(null, arguments);
        Probe.fact("returned", returned == object ? "object" : returned == other ? "other" : String.valueOf(returned));
    }

    private byte[] file() throws IOException {
        String scenario = getClass().getName().replace('.', '/');
        List<String> texts = new ArrayList<>();
        int name = add(texts, scenario + "$Made");
        int superclass = add(texts, "java/lang/Object");
        int caller = add(texts, scenario);
        int reach = add(texts, "reach");
        int nothing = add(texts, "()V");
        ByteArrayOutputStream members = new ByteArrayOutputStream();
        method(new DataOutputStream(members), texts);

        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(48);
        out.writeShort(TEXTS + texts.size());
        ConstantPool.reference(out, 7, name);
        ConstantPool.reference(out, 7, superclass);
        ConstantPool.reference(out, 7, caller);
        ConstantPool.pair(out, 12, reach, nothing);
        ConstantPool.pair(out, 10, 3, 4);
        for (String each : texts) {
            ConstantPool.text(out, each);
        }
        out.writeShort(0x21);
        out.writeShort(1);
        out.writeShort(2);
        out.writeInt(0);
        out.writeShort(1);
        members.writeTo(out);
        out.writeShort(0);
        return bytes.toByteArray();
    }

    private void method(DataOutputStream out, List<String> texts) throws IOException {
        out.writeShort(9);
        out.writeShort(add(texts, "pass"));
        out.writeShort(add(texts, "(" + parameters + ")" + OBJECT));
        out.writeShort(1);
        out.writeShort(add(texts, "Code"));
        int table = 2 + variables.length * 10;
        out.writeInt(12 + code.length + 6 + table);
        out.writeShort(1);
        out.writeShort(locals);
        out.writeInt(code.length);
        for (int each : code) {
            out.writeByte(each);
        }
        out.writeShort(0);
        out.writeShort(1);
        out.writeShort(add(texts, "LocalVariableTable"));
        out.writeInt(table);
        out.writeShort(variables.length);
        for (Variable each : variables) {
            out.writeShort(each.start);
            out.writeShort(each.length);
            out.writeShort(add(texts, each.name));
            out.writeShort(add(texts, each.type));
            out.writeShort(each.slot);
        }
    }

    /** The index of the constant that has the text. */
    private static int add(List<String> texts, String text) {
        texts.add(text);
        return TEXTS + texts.size() - 1;
    }

    /** An entry of the table of local variables. */
    static final class Variable {
        private final String name;
        private final String type;
        private final int slot;
        private final int start;
        private final int length;

        Variable(String name, String type, int slot, int start, int length) {
            this.name = name;
            this.type = type;
            this.slot = slot;
            this.start = start;
            this.length = length;
        }
    }
}
