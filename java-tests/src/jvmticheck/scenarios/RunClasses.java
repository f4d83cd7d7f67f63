package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes of this program that have run, each with its class file. */
public final class RunClasses implements Scenario {
    @Override
    public void run() throws Exception {
        LoadedClasses.state("own", own());
        Probe.checkpoint("ready");
    }

    /** Classes of this program, after their methods have run often. */
    private static Class<?>[] own() throws Exception {
        FreshLoader loader = new FreshLoader(EditKinds.class);
        Class<?>[] kinds = {EditKinds.Plain.class, EditKinds.Contract.class, EditKinds.Colour.class, EditKinds.Lambdas.class,
            EditKinds.Outer.class, EditKinds.Point.class, EditKinds.Mark.class};
        Class<?>[] own = new Class<?>[kinds.length];
        for (int i = 0; i < kinds.length; i++) {
            own[i] = loader.initialised(kinds[i].getName());
            Probe.bind(kinds[i].getSimpleName(), own[i]);
        }
        Class<?> worker = loader.initialised(EditKinds.Worker.class.getName());
        Probe.fact("worked", (Integer) worker.getMethod("work", int.class).invoke(null, 3000));
        return own;
    }
}
