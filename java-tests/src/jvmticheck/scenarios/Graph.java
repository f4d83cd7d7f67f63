package jvmticheck.scenarios;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * Builds the objects of `HeapGraph`: three nodes in a ring, a leaf in each field of the root and in each static field,
 * and arrays. Each node has a field of every primitive type.
 */
public final class Graph implements Callable<Map<String, Object>> {
    @Override
    public Map<String, Object> call() {
        Node root = new Node(1);
        root.next = new Node(2);
        root.next.next = new Node(3);
        root.next.next.next = root;
        root.inherited = new Leaf();
        root.own = new Leaf();
        root.leaves = new Leaf[] {new Leaf(), null, new Leaf(), (Leaf) root.own};
        root.ints = new int[] {10, 20, 30};
        root.text = new String(new char[] {'g', 'r', 'a', 'p', 'h', ' ', '\u00e9', '\u0444'});
        Map<String, Object> graph = new LinkedHashMap<String, Object>();
        graph.put("root", root);
        graph.put("second", root.next);
        graph.put("third", root.next.next);
        graph.put("base", new Base());
        graph.put("leaf", root.own);
        graph.put("leaves", root.leaves);
        graph.put("ints", root.ints);
        graph.put("text", root.text);
        graph.put("node_class", Node.class);
        graph.put("base_class", Base.class);
        graph.put("leaf_class", Leaf.class);
        graph.put("interface", Marked.class);
        graph.put("superinterface", Constants.class);
        // The constant of an interface exists once somebody has read it.
        graph.put("constant", Constants.CONSTANT);
        graph.put("static_leaf", Node.ofNode);
        graph.put("inherited_static_leaf", Base.ofBase);
        graph.put("marked_leaf", Marked.MARK);
        graph.put("loop", new Loop());
        graph.put("twin", new Twin());
        graph.put("loop_class", Loop.class);
        graph.put("booleans", new boolean[] {true, false, true});
        graph.put("bytes", new byte[] {1, -2, 127, -128});
        graph.put("shorts", new short[] {1, -2, 32767});
        graph.put("chars", new char[] {'a', '\u0444', '\uffff'});
        graph.put("longs", new long[] {1L << 40, -1L});
        graph.put("floats", new float[] {0.5f, -1.25f});
        graph.put("doubles", new double[] {0.1, -1e100});
        graph.put("no_ints", new int[0]);
        graph.put("latin", new String(new char[] {'c', 'a', 'f', '\u00e9'}));
        graph.put("astral", new String(new char[] {'\ud83d', '\ude00', '\u0000'}));
        graph.put("no_text", new String(new char[0]));
        return graph;
    }

    interface Constants {
        Leaf CONSTANT = new Leaf();
        int NUMBER = 42;
    }

    interface Marked extends Constants {
        Leaf MARK = new Leaf();
    }

    /** Implements an interface that its subclass also inherits in another way. */
    static class Base implements Constants {
        static Leaf ofBase = new Leaf();
        Object inherited;
        int inheritedInt = 7;
    }

    static final class Node extends Base implements Marked {
        static Leaf ofNode = new Leaf();
        static int staticInt = 8;
        static long staticLong = 1L << 40;
        Node next;
        Object own;
        Object[] leaves;
        int[] ints;
        String text;
        boolean z = true;
        byte b = -2;
        short s = -3;
        char c = 'c';
        int i;
        long j = 6L << 40;
        float f = 7.5f;
        double d = 8.25;

        Node(int number) {
            i = number;
        }

        @Override
        public String toString() {
            return i + " " + next.i + " " + next.next.i + " " + leaves.length + " " + ints[0] + " " + text;
        }
    }

    static final class Leaf {
    }

    /** A class whose instances are reachable for a short time only. */
    public static final class Dropped {
        public Dropped() {
        }
    }

    /** An object that refers to itself. */
    static final class Loop {
        Loop self = this;
    }

    /** An object that refers twice to the same object, and has a null field. */
    static final class Twin {
        Object first = new Leaf[0];
        Object second = first;
        Object none;
    }
}
