package jvmticheck.scenarios;

import java.io.Serializable;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Variables of types to which a value can be assigned in other ways than by its class and superclasses. */
public final class Assignable implements Scenario {
    /** The value of every variable at first. */
    private static final Object NONE = null;

    @Override
    public void run() throws Exception {
        String text = "text";
        String[] texts = {text};
        int[] numbers = {1};
        int[][] rows = {numbers};
        String[][] pages = {texts};
        ArrayList<String> list = new ArrayList<>();
        Probe.bind("text", text);
        Probe.bind("texts", texts);
        Probe.bind("numbers", numbers);
        Probe.bind("rows", rows);
        Probe.bind("pages", pages);
        Probe.bind("list", list);
        variables(NONE, null, null, null, null, null, null, null, null, null, null, null, null);
    }

    /** The slots are those of the parameters, in this order. */
    static void variables(Object object, Cloneable cloneable, Serializable serializable, Object[] objects, Comparable<?>[] comparables,
            Cloneable[] cloneables, Object[][] tables, Comparable<?> comparable, CharSequence sequence, Collection<?> collection,
            Iterable<?> iterable, AbstractCollection<?> general, int[] ints) {
        Probe.checkpoint("variables");
        state("object", object);
        state("cloneable", cloneable);
        state("serializable", serializable);
        state("objects", objects);
        state("comparables", comparables);
        state("cloneables", cloneables);
        state("tables", tables);
        state("comparable", comparable);
        state("sequence", sequence);
        state("collection", collection);
        state("iterable", iterable);
        state("general", general);
        state("ints", ints);
    }

    private static void state(String name, Object value) {
        Probe.fact(name, value == null ? "nothing" : value.getClass().getName());
    }
}
