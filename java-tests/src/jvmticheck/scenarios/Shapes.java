package jvmticheck.scenarios;

import java.io.Serializable;
import java.util.List;

/** The classes of `ClassShapes`. */
class Shapes {
    interface Interface {
        int CONSTANT = 1;

        void method();
    }

    interface Subinterface extends Interface, Serializable {
        default int defaulted() {
            return CONSTANT;
        }
    }

    abstract static class Abstract implements Subinterface {
        protected abstract Object unfinished(int[] argument);
    }

    static final class Concrete extends Abstract implements Cloneable {
        private static final long serialVersionUID = 1;

        @Override
        protected String unfinished(int[] argument) {
            return null;
        }

        @Override
        public void method() {
        }
    }

    enum Enum {
        ONE, TWO
    }

    @interface Annotation {
        String value() default "";
    }

    static class Generic<T extends Number & Comparable<T>> implements Comparable<Generic<T>> {
        /** The class's signature in the class file. */
        static final String SIGNATURE = "<T:Ljava/lang/Number;:Ljava/lang/Comparable<TT;>;>Ljava/lang/Object;"
                + "Ljava/lang/Comparable<Ljvmticheck/scenarios/Shapes$Generic<TT;>;>;";
        List<? super T> field;

        <U extends T> U method(U argument, List<String> list) {
            return argument;
        }

        @Override
        public int compareTo(Generic<T> other) {
            return 0;
        }
    }

    class Inner {
        Shapes outer() {
            return Shapes.this;
        }
    }

    static class Empty {
    }

    /** Members with each modifier, and a class initialiser. */
    static class Members {
        public static int publicStatic = (int) System.nanoTime();
        protected volatile long protectedVolatile;
        private transient Object privateTransient;
        final int[] ints = {};
        static final String CONSTANT = "constant";

        Members(int argument) {
            privateTransient = ints;
        }

        private Members() {
        }

        public static synchronized void publicStaticSynchronized() {
        }

        protected final strictfp double protectedFinal(double d, long... many) {
            return d;
        }

        private Object privateMethod(Object... objects) throws Exception {
            return privateTransient;
        }

        native void nativeMethod();
    }

    /** A class whose name contains characters of two bytes. */
    static class \u00c9t\u00e9\u0444 {
    }

    Class<?> local() {
        class Local {
        }
        return Local.class;
    }

    Class<?> anonymous() {
        return new Object() {
        }.getClass();
    }

    Class<?> lambda() {
        Runnable lambda = () -> { };
        return lambda.getClass();
    }
}
