package jvmticheck.scenarios;

import java.lang.reflect.Array;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes of every kind, loaded, initialised, failed, and while another thread initialises them; and types without states. */
public final class ClassStatuses implements Scenario {
    // Public, because a class of another class loader accesses them.
    public static volatile boolean begun;
    public static volatile boolean over;

    @Override
    public void run() throws Exception {
        begun = false;
        over = false;
        String[] kinds = {"Contract", "Colour", "Mark", "Abstract"};
        for (String kind : kinds) {
            String bound = kind.toLowerCase(java.util.Locale.ROOT);
            Probe.bind(bound + "_loaded", fresh().define(name(kind)));
            Probe.bind(bound + "_initialised", fresh().initialised(name(kind)));
        }
        bindFailed();
        bindTypes();
        FreshLoader loader = fresh();
        Class<?> lasting = loader.loadClass(name("Lasting"));
        Probe.bind("lasting", lasting);
        Probe.bind("lasting_array", Array.newInstance(lasting, 0).getClass());
        Probe.bind("lasting_below", loader.loadClass(name("LastingBelow")));
        try (Stage stage = new Stage()) {
            Thread initialiser = stage.cast("initialiser", loader.initialisation(name("LastingBelow")));
            initialiser.start();
            Probe.await("the initialiser to run", new Probe.Condition() {
                @Override
                public boolean holds() {
                    return begun;
                }
            });
            Probe.checkpoint("ready");
            over = true;
            Probe.await(initialiser, Thread.State.TERMINATED);
        }
        Probe.checkpoint("after");
    }

    private static FreshLoader fresh() {
        return new FreshLoader(StatusKinds.class);
    }

    private static String name(String kind) {
        return StatusKinds.class.getName() + "$" + kind;
    }

    private static void bindFailed() throws ClassNotFoundException {
        FreshLoader loader = fresh();
        for (String kind : new String[] {"FailedBelow", "Failed"}) {
            try {
                loader.initialised(name(kind));
            } catch (LinkageError expected) {
                Probe.bind(kind.equals("Failed") ? "failed" : "failed_below", loader.loadClass(name(kind)));
            }
        }
        Probe.bind("failed_array", Array.newInstance(loader.loadClass(name("Failed")), 0).getClass());
    }

    private static void bindTypes() {
        Class<?>[] primitives = {
            boolean.class, byte.class, char.class, short.class, int.class, long.class, float.class, double.class, void.class,
        };
        for (Class<?> primitive : primitives) {
            Probe.bind(primitive.getName(), primitive);
        }
        Probe.bind("object_array", Object[].class);
        Probe.bind("interface_array", Runnable[].class);
        Probe.bind("long_array", long[].class);
        Probe.bind("long_matrix", long[][].class);
    }
}
