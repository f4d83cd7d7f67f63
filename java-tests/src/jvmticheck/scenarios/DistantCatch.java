package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A method with a catch clause far behind the instruction that throws, and one that a finally clause ends. */
public final class DistantCatch implements Scenario {
    private static final IllegalStateException THROWN = new IllegalStateException("thrown");

    private static volatile int number;

    @Override
    public void run() {
        Probe.bind("main", Thread.currentThread());
        Probe.bind("thrown", THROWN);
        Probe.checkpoint("before");
        caught(THROWN);
        try {
            ended(THROWN);
        } catch (IllegalStateException expected) {
            number++;
        }
        Probe.checkpoint("after");
    }

    static void caught(RuntimeException exception) {
        try {
            if (number >= 0) {
                throw exception;
            }
            number += 1000;
            number += 1001;
            number += 1002;
            number += 1003;
        } catch (IllegalStateException expected) {
            number += 1004;
        }
    }

    static void ended(RuntimeException exception) {
        try {
            if (number >= 0) {
                throw exception;
            }
            number += 1000;
            number += 1001;
            number += 1002;
            number += 1003;
        } finally {
            number += 1004;
        }
    }
}
