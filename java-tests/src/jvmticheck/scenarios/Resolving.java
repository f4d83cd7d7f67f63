package jvmticheck.scenarios;

import java.lang.reflect.Method;
import java.util.Locale;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Methods of one class, each with an instruction that needs another class, which the JVM therefore asks the class loader for, or initialises. An
 * agent may redefine the class meanwhile. After that instruction each method returns its version, and that of another method that it calls.
 */
public final class Resolving implements Scenario {
    /** The method that is called and has not needed its class yet. */
    private static String way = "";

    @Override
    public void run() throws Exception {
        Class<?> body = new Loader().loadClass(Body.class.getName());
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", body);
        Probe.bind("file", ClassFile.read(Body.class));
        for (Method method : body.getMethods()) {
            if (method.getDeclaringClass() == body && !method.getName().equals("version")) {
                String name = method.getName();
                way = name;
                String first = (String) method.invoke(null);
                Probe.checkpoint("returned");
                Probe.fact(name + ".needed", way.equals(name) ? 0 : 1);
                Probe.fact(name + ".first", first);
                Probe.fact(name + ".second", (String) method.invoke(null));
            }
        }
        Probe.checkpoint("after");
    }

    /** Reaches the checkpoint of the method, if that is what needs the class. */
    public static void needed(String name) {
        if (name.equals(way)) {
            way = "";
            Probe.checkpoint(name);
        }
    }

    /** Defines the classes, and says so when one of those that the methods need is asked for. */
    private static final class Loader extends FreshLoader {
        private static final String HERE = Resolving.class.getName() + "$";

        Loader() {
            super(Resolving.class);
        }

        @Override
        boolean isOwn(String name) {
            boolean isOwn = name.startsWith(HERE);
            if (isOwn && findLoadedClass(name) == null) {
                String simple = name.substring(HERE.length());
                if (!simple.startsWith("Initialised")) {
                    needed(simple.toLowerCase(Locale.ROOT));
                }
            }
            return isOwn;
        }
    }

    /** The methods of the class. The versions of an agent have another text. */
    public static class Body {
        static Object object = "object";
        static Owner owning;
        static Receiver receiving;
        static Served serving;

        public static String version() {
            return "one";
        }

        public static String made() {
            Object made = new Made();
            return "one" + version();
        }

        public static String tested() {
            boolean tested = object instanceof Tested;
            return "one" + version();
        }

        public static String cast() {
            try {
                Object cast = (Cast) object;
                return "cast";
            } catch (ClassCastException no) {
                return "one" + version();
            }
        }

        public static String element() {
            Object[] made = new Element[1];
            return "one" + version();
        }

        public static String cell() {
            Object[][] made = new Cell[1][1];
            return "one" + version();
        }

        public static String literal() {
            Class<?> type = Literal.class;
            return "one" + version();
        }

        public static String read() {
            int read = Read.field;
            return "one" + version();
        }

        public static String written() {
            Written.field = 1;
            return "one" + version();
        }

        public static String owner() {
            try {
                return "owned" + owning.field;
            } catch (NullPointerException no) {
                return "one" + version();
            }
        }

        public static String called() {
            int called = Called.method();
            return "one" + version();
        }

        public static String receiver() {
            try {
                return "received" + receiving.method();
            } catch (NullPointerException no) {
                return "one" + version();
            }
        }

        public static String served() {
            try {
                return "served" + serving.method();
            } catch (NullPointerException no) {
                return "one" + version();
            }
        }

        public static String referred() throws Exception {
            Callable<Integer> reference = Referred::method;
            reference.call();
            return "one" + version();
        }

        public static String taken() {
            Taking taking = Body::taking;
            return "one" + taking.take(null);
        }

        private static String taking(Taken taken) {
            return "one";
        }

        public static String initialisedmade() {
            Object made = new InitialisedMade();
            return "one" + version();
        }

        public static String initialisedread() {
            int read = InitialisedRead.field;
            return "one" + version();
        }

        public static String initialisedcalled() {
            int called = InitialisedCalled.method();
            return "one" + version();
        }
    }

    public static class Made {
    }

    public static class Tested {
    }

    public static class Cast {
    }

    public static class Element {
    }

    public static class Cell {
    }

    public static class Literal {
    }

    public static class Read {
        static int field = 1;
    }

    public static class Written {
        static int field;
    }

    public static class Owner {
        int field;
    }

    public static class Called {
        static int method() {
            return 1;
        }
    }

    public static class Receiver {
        int method() {
            return 1;
        }
    }

    public interface Served {
        int method();
    }

    public static class Referred {
        static int method() {
            return 1;
        }
    }

    public static class Taken {
    }

    /** What a reference to a method of the class becomes. */
    public interface Taking {
        String take(Taken taken);
    }

    public static class InitialisedMade {
        static {
            Resolving.needed("initialisedmade");
        }
    }

    public static class InitialisedRead {
        static int field = 1;

        static {
            Resolving.needed("initialisedread");
        }
    }

    public static class InitialisedCalled {
        static {
            Resolving.needed("initialisedcalled");
        }

        static int method() {
            return 1;
        }
    }
}
