package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Reads and writes fields of an object, and then of null, which throws. */
public final class NullAccesses implements Scenario {
    /** The class with the fields. */
    public static final class Owner {
        int number;
        long far;
        Object reference;
    }

    private int thrown;

    @Override
    public void run() {
        Owner owner = new Owner();
        Probe.bind("class", Owner.class);
        Probe.bind("owner", owner);
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        use(owner);
        use(null);
        Probe.checkpoint("after");
        Probe.fact("thrown", thrown);
    }

    private void use(Owner owner) {
        try {
            thrown += owner.number;
        } catch (NullPointerException expected) {
            thrown++;
        }
        try {
            thrown += (int) owner.far;
        } catch (NullPointerException expected) {
            thrown++;
        }
        try {
            thrown += owner.reference == null ? 0 : 1;
        } catch (NullPointerException expected) {
            thrown++;
        }
        try {
            owner.number = 7;
        } catch (NullPointerException expected) {
            thrown++;
        }
        try {
            owner.far = 8L;
        } catch (NullPointerException expected) {
            thrown++;
        }
        try {
            owner.reference = this;
        } catch (NullPointerException expected) {
            thrown++;
        }
    }
}
