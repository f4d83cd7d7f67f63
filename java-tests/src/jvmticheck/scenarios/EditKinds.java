package jvmticheck.scenarios;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.concurrent.Callable;

/** Classes of several kinds with members of every kind, whose class files `Edits` offers for editing. */
final class EditKinds {
    private EditKinds() {
    }

    /** An annotation for declarations. */
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Mark {
        String value() default "";
    }

    /** Another one. */
    @Retention(RetentionPolicy.RUNTIME)
    public @interface Sign {
        int number() default 1;
    }

    /** An annotation for types. */
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE_USE, ElementType.TYPE_PARAMETER})
    public @interface Of {
        String value() default "";
    }

    /** A superclass. */
    public static class Parent {
        protected int inherited;
    }

    /** Another superclass, of which there is a hidden class, too. */
    public static class Father {
        int number;

        public static int answer() {
            return 77;
        }

        public static void spare(int parameter) {
        }
    }

    /** An interface. */
    public interface Left {
    }

    /** Another interface. */
    public interface Right {
    }

    /** An ordinary class. */
    @Mark("class")
    @Sign(number = 7)
    public static class Plain<@Of("parameter") T extends Comparable<T>> extends Parent implements Left, Callable<T> {
        public static final int CONSTANT = 42;
        public static final String TEXT = "constant text";
        private static final long LONG = 1L << 40;
        private static int counter = 3;
        @Mark("field")
        public @Of("field type") List<@Of("argument") T> list;
        protected volatile int number = 5;
        private transient Object hidden;
        @Deprecated
        final double fraction = 0.5;

        public Plain() {
        }

        private Plain(int number) {
            this.number = number;
        }

        /** What the scenario calls. */
        public static int answer() {
            return 77;
        }

        public static void spare(int parameter) {
        }

        private static long privateStatic(long first, @Mark("argument") Object second) {
            return first + LONG;
        }

        private static final int privateStaticFinal() {
            return counter;
        }

        private int privateMethod() {
            return number;
        }

        private final int privateFinal() {
            return number + 1;
        }

        public final String publicFinal(@Sign(number = 3) final String text, @Mark("second") int times) {
            StringBuilder built = new StringBuilder();
            for (int i = 0; i < times; i++) {
                String part = text + i;
                built.append(part);
            }
            return built.toString();
        }

        public static final int publicStaticFinal() {
            return 9;
        }

        protected synchronized <@Of("variable") U extends T> @Of("result") U generic(List<? super U> many) throws Exception {
            @Of("local") U found = null;
            try {
                many.add(null);
            } catch (@Of("caught") RuntimeException e) {
                throw new Exception(e);
            } finally {
                counter++;
            }
            return found;
        }

        void packagePrivate(Object... objects) {
            switch (objects.length) {
                case 0:
                    counter = 1;
                    break;
                case 1000:
                    counter = (int) LONG;
                    break;
                default:
                    hidden = (Object) new Object[][] {objects};
            }
        }

        @Deprecated
        @Mark
        native void inNative();

        @Override
        public T call() {
            Plain<T> made = new Plain<T>(number);
            return made.privateMethod() + made.privateFinal() + privateStaticFinal() > privateStatic(1, this) ? null : null;
        }
    }

    /** An interface with methods of every kind. */
    @Mark("interface")
    public interface Contract extends Left, java.io.Serializable {
        int CONSTANT = 11;
        Object OBJECT = new Object();

        void required(@Mark("argument") String text) throws Exception;

        default int given(int number) {
            return number + CONSTANT;
        }

        static int answer() {
            return 77;
        }

        default String spare(int parameter) {
            return OBJECT.toString();
        }
    }

    /** An enumeration with a body of its own. */
    @Mark("enum")
    public enum Colour implements Left {
        RED, GREEN {
            @Override
            int shade() {
                return 2;
            }
        };

        private int value = 5;

        int shade() {
            return value;
        }

        public static int answer() {
            return 77;
        }

        public static void spare(int parameter) {
        }
    }

    /** A class with lambdas, method references and bridges. */
    public static class Lambdas extends Parent implements Left, Comparable<Lambdas> {
        private int number = 6;

        public static int answer() {
            Callable<Integer> lambda = () -> 77;
            try {
                return lambda.call();
            } catch (Exception e) {
                return 0;
            }
        }

        public static void spare(int parameter) {
            Runnable first = () -> answer();
            Callable<Lambdas> second = Lambdas::new;
            Comparable<String> third = "text"::compareTo;
            first.run();
            third.compareTo(second.toString());
        }

        @Override
        public int compareTo(Lambdas other) {
            Callable<Integer> capturing = () -> number - other.number;
            try {
                return capturing.call();
            } catch (Exception e) {
                return 0;
            }
        }
    }

    /** An abstract class with an inner class that uses its private members. */
    public abstract static class Outer extends Parent implements Left {
        private int number;

        abstract void open(int[][] parameter);

        public static int answer() {
            return 77;
        }

        public static void spare(int parameter) {
        }

        final class Inner {
            int read() {
                return number;
            }
        }
    }

    /** The class that becomes a record: its constructor calls that of its superclass. */
    @Mark("record")
    public static class Point extends Parent {
        private final List<String> names;

        public Point(List<String> names) {
            this.names = names;
        }

        public List<String> names() {
            return names;
        }

        public static int answer() {
            return 77;
        }

        public static void spare(int parameter) {
        }
    }

    /** The host of a nest, once its class file says so. */
    public static class Host extends Parent implements Left {
        private int number = 8;

        private static int secret() {
            return 70;
        }

        public static int answer() {
            return 77;
        }

        public static void spare(int parameter) {
        }

        /** A member of the nest, once its class file says so. */
        public static class Member extends Parent implements Left {
            private int number = 9;

            private static int secret() {
                return 71;
            }

            public static int answer() {
                return 77;
            }

            public static void spare(int parameter) {
            }
        }

        /** Another one. */
        public static class Mate {
        }
    }

    /** A sealed class, once its class file says so. */
    public abstract static class Sealed implements Left {
        protected int number;

        public static int answer() {
            return 77;
        }

        public static void spare(int parameter) {
        }

        /** A subclass that is permitted. */
        public static final class First extends Sealed {
        }

        /** Another one. */
        public static final class Second extends Sealed {
        }
    }

    /** Runs the methods of the others often, so that the JVM rewrites, links and compiles their bytecodes. */
    public static class Worker {
        public static int work(int times) {
            int sum = 0;
            Plain<String> plain = new Plain<String>();
            Point point = new Point(null);
            for (int i = 0; i < times; i++) {
                sum += Plain.answer() + Lambdas.answer() + Colour.answer() + Contract.answer() + Outer.answer();
                sum += Colour.GREEN.shade() + plain.publicFinal("text", i % 3).length() + Plain.publicStaticFinal();
                plain.call();
                plain.packagePrivate(new Object[i % 2 * 1000]);
                Lambdas.spare(i);
                sum += new Lambdas().compareTo(new Lambdas());
                sum += point.names() == null ? 1 : 0;
            }
            return sum;
        }
    }
}
