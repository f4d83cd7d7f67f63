package jvmticheck.scenarios;

import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A record that is new in each run, made of the class file of a class of the same shape. JDK 16 and newer. */
public final class RecordFields implements Scenario {
    private static final int PUBLIC_FINAL_SUPER = 0x31;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(RecordFields.class);
        Class<?> record = loader.define(Pair.class.getName(), file());
        Class<?> user = loader.initialised(User.class.getName());
        Class.forName(record.getName(), true, loader);
        Method make = user.getMethod("make", Object.class);
        Method read = user.getMethod("read", Object.class);
        Object item = "item";
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", record);
        Probe.bind("item", item);
        Probe.bind("first", make.invoke(null, item));
        Probe.checkpoint("before");
        Object pair = make.invoke(null, item);
        Probe.bind("pair", pair);
        Probe.checkpoint("made");
        Probe.fact("read", String.valueOf(read.invoke(null, pair)));
        Probe.checkpoint("read");
    }

    private static byte[] file() throws Exception {
        EditedClass file = new EditedClass(Pair.class).since(60).withFlags(PUBLIC_FINAL_SUPER)
                .with(Parent.class.getName().replace('.', '/'), "java/lang/Record");
        return file.withAttribute("Record", 2, file.text("number"), file.text("I"), 0, file.text("item"), file.text("Ljava/lang/Object;"), 0)
                .bytes();
    }

    /** Stands for java.lang.Record, which JDK 8 does not have. */
    abstract static class Parent {
        protected Parent() {
        }
    }

    /** What a compiler makes of `record Pair(int number, Object item)`, but for methods that are of no interest. */
    public static final class Pair extends Parent {
        private final int number;
        private final Object item;

        public Pair(int number, Object item) {
            this.number = number;
            this.item = item;
        }

        public int number() {
            return number;
        }

        public Object item() {
            return item;
        }

        @Override
        public int hashCode() {
            return 0;
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public String toString() {
            return "pair";
        }
    }

    /** Makes records, and reads their components by their accessors. */
    public static final class User {
        private User() {
        }

        public static Object make(Object item) {
            return new Pair(5, item);
        }

        public static String read(Object pair) {
            return ((Pair) pair).number() + " " + ((Pair) pair).item();
        }
    }
}
