package jvmticheck.scenarios;

/** Classes of several kinds, which `ClassStatuses` brings into several states. */
final class StatusKinds {
    private StatusKinds() {
    }

    /** An interface with an initialiser. */
    interface Contract {
        long MADE = System.nanoTime();

        default long made() {
            return MADE;
        }
    }

    /** An enumeration. */
    enum Colour {
        RED, GREEN
    }

    /** An annotation. */
    @interface Mark {
        long MADE = System.nanoTime();
    }

    /** An abstract class. */
    abstract static class Abstract {
        static final long MADE = System.nanoTime();
    }

    /** A class whose initialiser throws. */
    static class Failed {
        static final long MADE = fail();

        private static long fail() {
            throw new IllegalStateException("the initialiser fails");
        }
    }

    /** A class that cannot be initialised, because its superclass cannot. */
    static final class FailedBelow extends Failed {
        static final long OWN = System.nanoTime();
    }

    /** A class whose initialiser lasts. */
    static class Lasting {
        static {
            ClassStatuses.begun = true;
            while (!ClassStatuses.over) {
                Thread.yield();
            }
        }
    }

    /** A class whose initialiser cannot begin before that of its superclass ends. */
    static final class LastingBelow extends Lasting {
        static final long OWN = System.nanoTime();
    }
}
