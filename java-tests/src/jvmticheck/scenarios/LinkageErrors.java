package jvmticheck.scenarios;

import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Instructions that cannot be linked, each in a method of its own, and native methods that throw. What calls them catches. */
public final class LinkageErrors implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        FreshLoader loader = new FreshLoader(Code.class);
        loader.define(CodeHalf.class.getName(), new EditedClass(CodeHalf.class).with("answer", "other").bytes());
        Runnable code = (Runnable) loader.define(Code.class.getName(), edited()).getDeclaredConstructor().newInstance();
        Probe.checkpoint("before");
        code.run();
        Probe.checkpoint("after");
    }

    /** Names members that are not there, and others that are of another kind. */
    private static byte[] edited() throws IOException {
        return new EditedClass(Code.class).with("presentField", "absentField").with("presentMethod", "absentMethod")
                .with("openField", "shutField").with("staticMethod", "instanceMethod").with("$CodeConcrete", "$CodeAbstract").bytes();
    }

    /** The methods; the names of what they use are others in the class file that is defined. */
    public static final class Code implements Runnable {
        /** How many methods there are. */
        private static final int KINDS = 9;
        private static final Object LOCK = new Object();
        private static volatile CodeWhole half;

        public Code() {
        }

        @Override
        public void run() {
            half = new CodeHalf();
            for (int kind = 0; kind < KINDS; kind++) {
                attempt(kind);
            }
        }

        /** Calls the method of that number. */
        static Throwable attempt(int kind) {
            try {
                provoke(kind);
            } catch (Throwable thrown) {
                return thrown;
            }
            return null;
        }

        private static Object provoke(int kind) {
            switch (kind) {
                case 0: return noField();
                case 1: return noMethod();
                case 2: return noAccess();
                case 3: return notStatic();
                case 4: return notConcrete();
                case 5: return notImplemented();
                case 6: return notBound();
                case 7: return notifyUnowned();
                default: return notifyAllUnowned();
            }
        }

        static Object noField() {
            return CodeTarget.presentField;
        }

        static Object noMethod() {
            return CodeTarget.presentMethod();
        }

        static Object noAccess() {
            return CodeTarget.openField;
        }

        static Object notStatic() {
            return CodeTarget.staticMethod();
        }

        static Object notConcrete() {
            return new CodeConcrete();
        }

        static Object notImplemented() {
            return half.answer();
        }

        static Object notBound() {
            return unbound();
        }

        static Object notifyUnowned() {
            LOCK.notify();
            return null;
        }

        static Object notifyAllUnowned() {
            LOCK.notifyAll();
            return null;
        }

        /** No function implements it. */
        private static native Object unbound();
    }

    /** What the methods use. */
    static class CodeTarget {
        static Object presentField;
        static Object openField;
        private static Object shutField;

        static Object presentMethod() {
            return shutField;
        }

        static Object staticMethod() {
            return null;
        }

        Object instanceMethod() {
            return null;
        }
    }

    /** A class that can have instances. */
    static class CodeConcrete {
    }

    /** A class that cannot. */
    abstract static class CodeAbstract {
    }

    /** Declares a method. */
    interface CodeWhole {
        Object answer();
    }

    /** Implements it under another name in the class file that is defined. */
    static class CodeHalf implements CodeWhole {
        @Override
        public Object answer() {
            return null;
        }
    }
}
