package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that calls a method of each kind. Each does the same, and returns, or throws what its caller catches. */
public class MethodKinds extends OnPlatformThreads implements Scenario {
    @Override
    public void run() throws Exception {
        Probe.bind("class", Watched.class);
        Probe.bind("watched", Watched.OBJECT);
        Worker worker = new Worker();
        try (Stage stage = new Stage()) {
            stage.startAndEnd(stage.keep(create("worker", worker)));
        }
        Probe.fact("caught", worker.caught);
        Probe.checkpoint("ended");
    }

    /** The fields that every method reads once and writes once. */
    static final class Watched {
        static final Watched OBJECT = new Watched();
        static int total;
        int count;
    }

    /** Thrown in every method, which catches it, and again if the method is to fail. */
    static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1;

        Refusal() {
            super("on purpose", null, false, false);
        }
    }

    /** Calls the methods between a checkpoint of the kind's name and `done`, and once more to fail between `KIND_fails` and `done`. */
    private static final class Worker implements Runnable {
        private final Refusal refusal = new Refusal();
        private final Ways methods = new Ways(refusal);
        private final Contract contract = methods;
        private final Base base = methods;
        private int caught;

        @Override
        public void run() {
            // Loads the classes that the methods need: to find one takes exceptions in JDK 8.
            for (Kind kind : Kind.values()) {
                call(kind, false);
            }
            for (Kind kind : Kind.values()) {
                String name = kind.name().toLowerCase(java.util.Locale.ROOT);
                attempt(kind, name, false);
                attempt(kind, name + "_fails", true);
            }
        }

        private void attempt(Kind kind, String mark, boolean fails) {
            if (!Probe.isUsed(mark)) {
                return;
            }
            Probe.checkpoint(mark);
            try {
                call(kind, fails);
            } catch (Refusal again) {
                caught++;
            }
            Probe.checkpoint("done");
        }

        private void call(Kind kind, boolean fails) {
            switch (kind) {
                case STATIC: Ways.ofStatic(refusal, fails); break;
                case INSTANCE: methods.ofInstance(fails); break;
                case PRIVATE: methods.callPrivate(fails); break;
                case PRIVATE_STATIC: methods.callPrivateStatic(fails); break;
                case SYNCHRONIZED: methods.ofSynchronized(fails); break;
                case SYNCHRONIZED_STATIC: Ways.ofSynchronizedStatic(refusal, fails); break;
                case FINAL: methods.ofFinal(fails); break;
                case VARIABLE: Ways.ofVariable(refusal, fails, 1, 2); break;
                case CONSTRUCTOR: new Made(refusal, fails); break;
                case DEFAULT: contract.ofDefault(refusal, fails); break;
                case INTERFACE_STATIC: Contract.ofInterfaceStatic(refusal, fails); break;
                case IMPLEMENTING: contract.ofImplementing(fails); break;
                case OVERRIDING: base.ofOverriding(fails); break;
                default: throw new IllegalStateException(kind.name());
            }
        }
    }

    /** The kinds of methods, each of which has a method of a name such as `ofStatic`. */
    private enum Kind {
        STATIC, INSTANCE, PRIVATE, PRIVATE_STATIC, SYNCHRONIZED, SYNCHRONIZED_STATIC, FINAL, VARIABLE, CONSTRUCTOR, DEFAULT,
        INTERFACE_STATIC, IMPLEMENTING, OVERRIDING
    }

    /** Has methods for an interface and for its implementation. */
    interface Contract {
        void ofImplementing(boolean fails);

        default void ofDefault(Refusal refusal, boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }

        static void ofInterfaceStatic(Refusal refusal, boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }
    }

    /** Has the method that is overridden. */
    abstract static class Base {
        void ofOverriding(boolean fails) {
            throw new IllegalStateException("overridden");
        }
    }

    /** Its constructor is one of the methods. */
    static final class Made {
        Made(Refusal refusal, boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }
    }

    /** Has all other methods. */
    static class Ways extends Base implements Contract {
        private final Refusal refusal;

        Ways(Refusal refusal) {
            this.refusal = refusal;
        }

        static void ofStatic(Refusal refusal, boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }

        void ofInstance(boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }

        void callPrivate(boolean fails) {
            ofPrivate(fails);
        }

        void callPrivateStatic(boolean fails) {
            ofPrivateStatic(refusal, fails);
        }

        private void ofPrivate(boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }

        private static void ofPrivateStatic(Refusal refusal, boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }

        synchronized void ofSynchronized(boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }

        static synchronized void ofSynchronizedStatic(Refusal refusal, boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }

        final void ofFinal(boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }

        static void ofVariable(Refusal refusal, boolean fails, int... more) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }

        @Override
        public void ofImplementing(boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }

        @Override
        void ofOverriding(boolean fails) {
            try {
                Watched.total++;
                Watched.OBJECT.count++;
                throw refusal;
            } catch (Refusal caught) {
                if (fails) {
                    throw caught;
                }
            }
        }
    }
}
