package jvmticheck.scenarios;

import jvmticheck.Probe;

/** A call that no compiler can inline where all `kinds` of it have been made, since there are too many implementations. */
interface OpaqueCall {
    void make();

    /** Four that do nothing, each of a class of its own. */
    static OpaqueCall[] kinds() {
        return new OpaqueCall[] {new First(), new Second(), new Third(), new Fourth()};
    }

    /** One that does nothing. */
    final class First implements OpaqueCall {
        @Override
        public void make() {
        }
    }

    /** One that does nothing. */
    final class Second implements OpaqueCall {
        @Override
        public void make() {
        }
    }

    /** One that does nothing. */
    final class Third implements OpaqueCall {
        @Override
        public void make() {
        }
    }

    /** One that does nothing. */
    final class Fourth implements OpaqueCall {
        @Override
        public void make() {
        }
    }

    /** One that reaches the checkpoint `inside`. */
    final class Reaching implements OpaqueCall {
        @Override
        public void make() {
            Probe.checkpoint("inside");
        }
    }
}
