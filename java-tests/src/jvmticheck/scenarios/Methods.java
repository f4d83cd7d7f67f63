package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Methods that are entered, and left by return or by exception, between the checkpoints `before` and `after`. */
public final class Methods implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Initialised.class);
        Runtime runtime = Runtime.getRuntime();
        Probe.bind("class", Called.class);
        Probe.bind("native_class", Runtime.class);
        Probe.bind("initialised", loader.define("jvmticheck.scenarios.Methods$Initialised"));
        Probe.bind("main", Thread.currentThread());
        Called called = new Called(0);
        Probe.bind("called", called);
        Probe.bind("object", called.object);
        String returning = "returnInt returnLong returnFloat returnDouble returnObject returnVoid synchronised "
                + "recurse recurse recurse returnBoolean returnByte returnShort returnChar ";
        Probe.fact("entered", returning + "failure passOn fail");
        Probe.fact("left", returning + "fail passOn failure");
        Probe.fact("returnInt", 5);
        Probe.fact("returnLong", 6L << 40);
        Probe.fact("returnFloat", "7.5");
        Probe.fact("returnDouble", "8.25");
        Probe.fact("native.calls", 1);
        Probe.checkpoint("before");
        called.returnInt();
        called.returnLong();
        called.returnFloat();
        called.returnDouble();
        called.returnObject();
        Called.returnVoid();
        called.synchronised();
        called.recurse(2);
        called.returnBoolean();
        called.returnByte();
        called.returnShort();
        called.returnChar();
        Probe.checkpoint("returned");
        Throwable thrown = called.failure();
        Probe.checkpoint("failed");
        int processors = runtime.availableProcessors();
        Probe.checkpoint("native_called");
        loader.initialised("jvmticheck.scenarios.Methods$Initialised");
        Probe.checkpoint("after");
        Probe.fact("failed.with", thrown.getMessage());
        Probe.fact("native.returned", processors);
    }

    /** Its `<clinit>` and its method each run once. */
    static final class Initialised {
        static final int VALUE = compute();

        static int compute() {
            return 3;
        }
    }
}
