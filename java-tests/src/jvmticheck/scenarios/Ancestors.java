package jvmticheck.scenarios;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Two interfaces that ask for the same method, an abstract class that implements both, and heirs of it, which are new in each run. Their
 * methods return 10 and are called through each of these types before and afterwards, and once more by a class that is loaded only then.
 */
public final class Ancestors implements Scenario {
    /** More calls than any JVM takes to link, inflate and compile. */
    private static final int CALLS = 6_000;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Ancestors.class);
        for (Class<?> type : new Class<?>[] {Left.class, Right.class, Base.class, Middle.class, Leaf.class}) {
            byte[] file = new EditedClass(type).bytes();
            String name = type.getSimpleName().toLowerCase();
            Probe.bind(name, loader.define(type.getName(), file));
            Probe.bind(name + "_file", file);
        }
        BeforeAndAfter.tell((Callable<?>) loader.made(Ways.class), CALLS);
        Callable<?> late = (Callable<?>) loader.made(Late.class);
        Probe.fact("late", String.valueOf(late.call()));
        Probe.checkpoint("after");
    }

    /** An interface. */
    public interface Left {
        int shared();

        default int left() {
            return 10;
        }
    }

    /** Another one with the same method. */
    public interface Right {
        int shared();

        default int right() {
            return 10;
        }
    }

    /** It implements both. */
    public abstract static class Base implements Left, Right {
        @Override
        public int shared() {
            return 10;
        }

        public int inherited() {
            return 10;
        }

        public abstract int own();

        public int callsOwn() {
            return own();
        }
    }

    /** It names an interface that it has inherited. */
    public static class Middle extends Base implements Left {
        @Override
        public int own() {
            return 10;
        }

        @Override
        public int left() {
            return super.left();
        }
    }

    /** It calls what it overrides. */
    public static class Leaf extends Middle {
        @Override
        public int inherited() {
            return super.inherited();
        }

        @Override
        public int right() {
            return super.right();
        }

        public int above() {
            return super.own();
        }
    }

    /** Calls them, and returns the results of each class and interface whose methods they are. */
    public static class Ways implements Callable<String> {
        private final Middle middle = new Middle();
        private final Leaf leaf = new Leaf();
        private final Base[] bases = {middle, leaf, new Another()};
        private final Left[] lefts = {middle, leaf, bases[2]};
        private final Right[] rights = {middle, leaf, bases[2]};

        @Override
        public String call() {
            return all(ofBase()) + " " + all(ofMiddle()) + " " + all(ofLeft()) + " " + all(ofRight());
        }

        private List<Integer> ofBase() {
            return Arrays.asList(bases[0].shared(), bases[1].shared(), bases[2].shared(), lefts[0].shared(), lefts[1].shared(),
                    lefts[2].shared(), rights[0].shared(), rights[1].shared(), rights[2].shared(), middle.shared(), leaf.shared(),
                    bases[0].inherited(), bases[1].inherited(), bases[2].inherited(), middle.inherited(), leaf.inherited());
        }

        private List<Integer> ofMiddle() {
            return Arrays.asList(bases[0].own(), bases[1].own(), middle.own(), leaf.own(), leaf.above(), bases[0].callsOwn(), leaf.callsOwn());
        }

        private List<Integer> ofLeft() {
            return Arrays.asList(lefts[0].left(), lefts[1].left(), lefts[2].left(), middle.left(), leaf.left(), bases[1].left());
        }

        private List<Integer> ofRight() {
            return Arrays.asList(rights[0].right(), rights[1].right(), rights[2].right(), middle.right(), leaf.right(), bases[1].right());
        }

        /** The number that all are, or all of them. */
        private static String all(List<Integer> numbers) {
            return new HashSet<Integer>(numbers).size() == 1 ? numbers.get(0).toString() : numbers.toString();
        }
    }

    /** An heir that nobody redefines. */
    public static class Another extends Base {
        @Override
        public int own() {
            return 0;
        }
    }

    /** It calls them for the first time, on heirs that are new as well. */
    public static final class Late extends Ways {
    }
}
