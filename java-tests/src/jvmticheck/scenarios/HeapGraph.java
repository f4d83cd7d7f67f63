package jvmticheck.scenarios;

import java.util.Map;
import java.util.concurrent.Callable;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A small graph of objects whose classes are new in each turn, so that their instances can be counted. */
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
        Probe.checkpoint("built");
        // What Java still sees says whether a case changed anything.
        Probe.fact("graph", String.valueOf(graph.get("root")));
    }
}
