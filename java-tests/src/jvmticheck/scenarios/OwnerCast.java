package jvmticheck.scenarios;

import java.lang.Thread.State;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Platform threads that own the monitor of an object of their own, entered in different ways; see `Entering`. */
public class OwnerCast extends OnPlatformThreads implements Scenario {
    private static final String[] WAYS = {
        "B", "M", "J", "PBP", "PMP", "PJP", "BB", "MM", "JJ", "BM", "MB", "BJ", "JB", "MJ", "JM", "BPB", "BJB", "JBJ", "MJM",
        "JMJ", "BMJ", "JBM", "BBJJ", "JJBB",
    };
    /** Calls after which a compiler has usually compiled a method. */
    private static final int OFTEN = 60000;

    private final Object shared = new Object();

    @Override
    public final void run() throws Exception {
        CastNatives.close();
        try (Stage stage = new Stage()) {
            try {
                begin(stage);
                Probe.checkpoint("owned");
            } finally {
                CastNatives.open();
            }
        }
    }

    private void begin(Stage stage) throws Exception {
        for (String ways : WAYS) {
            Entering owned = new Entering(ways, stage.bodies.park(false));
            String name = prefix() + ways.toLowerCase(java.util.Locale.ROOT);
            Probe.bind(name + "_object", owned);
            stage.start(stage.keep(create(name, owned)), State.WAITING, "park");
        }
        final Object nested = new Object();
        final Object inlined = new Object();
        Probe.bind(prefix() + "nested_object", nested);
        Probe.bind(prefix() + "inlined_object", inlined);
        for (int i = 0; i < OFTEN; i++) {
            Entering.unseen(false);
            Entering.nested(shared, false);
            Entering.inlined(shared, false);
        }
        stay(stage, "unseen", new Runnable() {
            @Override
            public void run() {
                Entering.unseen(true);
            }
        });
        stay(stage, "nested", new Runnable() {
            @Override
            public void run() {
                Entering.nested(nested, true);
            }
        });
        stay(stage, "inlined", new Runnable() {
            @Override
            public void run() {
                Entering.inlined(inlined, true);
            }
        });
    }

    private void stay(Stage stage, String name, Runnable body) throws Exception {
        Thread thread = stage.keep(create(prefix() + name, body));
        thread.start();
        Probe.awaitStackTop(thread, "stayIf");
    }

    String prefix() {
        return "owner_";
    }
}
