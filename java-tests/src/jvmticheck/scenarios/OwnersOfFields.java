package jvmticheck.scenarios;

import java.util.ArrayList;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Writes and reads a field of each of several objects that a JVM treats specially, and reads a field of an interface. */
public final class OwnersOfFields implements Scenario {
    @Override
    public void run() throws Exception {
        Worker worker = new Worker();
        Failure failure = new Failure();
        Items items = new Items();
        String read = String.valueOf(Made.OBJECT != null);
        Probe.bind("main", Thread.currentThread());
        Probe.bind("worker", worker);
        Probe.bind("failure", failure);
        Probe.bind("items", items);
        Probe.bind("constant", Constant.ONE);
        Probe.bind("worker_class", Worker.class);
        Probe.bind("failure_class", Failure.class);
        Probe.bind("items_class", Items.class);
        Probe.bind("constant_class", Constant.class);
        Probe.bind("interface", Made.class);
        Probe.checkpoint("before");
        worker.count = 1;
        failure.count = 2;
        items.count = 3;
        Constant.ONE.count = 4;
        read += " " + worker.count + " " + failure.count + " " + items.count + " " + Constant.ONE.count;
        read += " " + (Made.OBJECT != null);
        Probe.checkpoint("accessed");
        Probe.fact("read", read);
    }

    /** Has a field that its initialiser sets. */
    interface Made {
        Object OBJECT = new Object();
    }

    /** A thread. */
    static final class Worker extends Thread {
        int count;
    }

    /** An exception. */
    static final class Failure extends Exception {
        private static final long serialVersionUID = 1;
        int count;
    }

    /** A collection. */
    static final class Items extends ArrayList<Object> {
        private static final long serialVersionUID = 1;
        int count;
    }

    /** A constant with a field of its own. */
    enum Constant {
        ONE;

        int count;
    }
}
