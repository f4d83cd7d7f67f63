package jvmticheck.scenarios;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Interfaces of several kinds with their class files, and classes whose class file says less or more about their source. */
public final class OwnInterfaces implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Own.class);
        bind("generic", loader, Own.class, new ClassFile(Own.class).bytes);
        bind("annotation", loader, OwnMark.class, new ClassFile(OwnMark.class).bytes);
        bind("enumeration", loader, OwnLevel.class, new ClassFile(OwnLevel.class).bytes);
        bind("nameless", loader, OwnNameless.class, new EditedClass(OwnNameless.class).with("OwnInterfaces.java", "").bytes());
        bind("long_name", loader, OwnLong.class,
                new EditedClass(OwnLong.class).with("OwnInterfaces.java", LongNames.repeated('n', 300)).bytes());
        Probe.checkpoint("ready");
    }

    private static void bind(String name, FreshLoader loader, Class<?> like, byte[] file) throws Exception {
        loader.define(like.getName(), file);
        Probe.bind(name, loader.initialised(like.getName()));
        Probe.bind(name + "_file", file);
    }

    /** A generic interface with methods of each kind that an interface can have, one of which is synthetic. */
    interface Own<T extends Comparable<T>> extends Comparator<T>, Callable<List<? super T>> {
        long NUMBER = System.nanoTime();

        T generic(List<T> list, int... more) throws Exception;

        static <U> U identity(U value) {
            return value;
        }

        default Runnable synthetic() {
            return () -> identity(NUMBER);
        }

        @Override
        default int compare(T one, T other) {
            return one.compareTo(other);
        }
    }

    /** An annotation. */
    @interface OwnMark {
        String[] value() default {"none"};

        long number() default 1L << 40;
    }

    /** An enumeration, one of whose constants has a body. */
    enum OwnLevel implements Runnable {
        LOW {
            @Override
            public void run() {
            }
        },
        HIGH;

        @Override
        public void run() {
        }
    }

    /** Its class file says that the name of the source file is empty. */
    static final class OwnNameless {
    }

    /** Its class file gives the source file a long name. */
    static final class OwnLong {
    }
}
