package jvmticheck.scenarios;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A small graph of objects whose classes are new in each run, so that their instances can be counted. */
public final class HeapGraph implements Scenario {
    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Graph.class);
        Class<?> builder = loader.initialised("jvmticheck.scenarios.Graph");
        Map<?, ?> graph = (Map<?, ?>) ((Callable<?>) builder.getDeclaredConstructor().newInstance()).call();
        Probe.bind("loader", loader);
        Probe.bind("builder", builder);
        for (Map.Entry<?, ?> entry : graph.entrySet()) {
            Probe.bind((String) entry.getKey(), entry.getValue());
        }
        Probe.fact("Node.instances", 3);
        Probe.fact("Base.instances", 1);
        Probe.fact("Leaf.instances", 8);
        Probe.fact("Leaf[].instances", 1);
        Class<?> node = (Class<?>) graph.get("node_class");
        loader.sign(node, "one", "two", "three");
        Probe.bind("domain", node.getProtectionDomain());
        Probe.bind("main", Thread.currentThread());
        Probe.fact("main.id", Thread.currentThread().getId());
        ClassFile file = new ClassFile(Graph.Node.class);
        Probe.fact("Node.leaf-constant", file.classConstant("jvmticheck/scenarios/Graph$Leaf"));
        List<WeakReference<Object>> dropped = drop(loader);
        Probe.checkpoint("built");
        Probe.checkpoint("again");
        // The objects that remain now existed all the time.
        Probe.fact("Dropped.instances", dropped.size() - Garbage.cleared(dropped));
        // What Java sees now shows whether a case has changed anything.
        Probe.fact("graph", String.valueOf(graph.get("root")));
    }

    /** Creates objects that are only weakly reachable. */
    private static List<WeakReference<Object>> drop(FreshLoader loader) throws Exception {
        Class<?> type = loader.initialised("jvmticheck.scenarios.Graph$Dropped");
        Probe.bind("dropped_class", type);
        List<WeakReference<Object>> dropped = new ArrayList<WeakReference<Object>>();
        for (int i = 0; i < 50; i++) {
            dropped.add(new WeakReference<Object>(type.getDeclaredConstructor().newInstance()));
        }
        return dropped;
    }
}
