package jvmticheck.scenarios;

import java.io.Serializable;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods whose result types allow values in other ways than by the class and its superclasses. Each returns null by itself. */
public final class AssignableResults implements Scenario {
    @Override
    public void run() throws Exception {
        String text = "text";
        String[] texts = {text};
        int[] numbers = {1};
        Probe.bind("text", text);
        Probe.bind("texts", texts);
        Probe.bind("numbers", numbers);
        Probe.bind("rows", new int[][] {numbers});
        Probe.bind("pages", new String[][] {texts});
        Probe.bind("list", new ArrayList<String>());
        Probe.checkpoint("before");
        state("object", object());
        state("cloneable", cloneable());
        state("serializable", serializable());
        state("objects", objects());
        state("comparables", comparables());
        state("cloneables", cloneables());
        state("tables", tables());
        state("comparable", comparable());
        state("sequence", sequence());
        state("collection", collection());
        state("iterable", iterable());
        state("general", general());
        state("ints", ints());
    }

    private static void state(String name, Object value) {
        Probe.fact(name, value == null ? "nothing" : value.getClass().getName());
    }

    static Object object() {
        return null;
    }

    static Cloneable cloneable() {
        return null;
    }

    static Serializable serializable() {
        return null;
    }

    static Object[] objects() {
        return null;
    }

    static Comparable<?>[] comparables() {
        return null;
    }

    static Cloneable[] cloneables() {
        return null;
    }

    static Object[][] tables() {
        return null;
    }

    static Comparable<?> comparable() {
        return null;
    }

    static CharSequence sequence() {
        return null;
    }

    static Collection<?> collection() {
        return null;
    }

    static Iterable<?> iterable() {
        return null;
    }

    static AbstractCollection<?> general() {
        return null;
    }

    static int[] ints() {
        return null;
    }
}
