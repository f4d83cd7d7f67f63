package jvmticheck.scenarios;

import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Classes that are loaded between two checkpoints, with names that are long or of characters that take several bytes. */
public final class HookedNames implements Scenario {
    private static final int LONG = 300;
    private static final int LONGEST = 65_000;
    private static final String ODD = "z\0s\uD83D\uDE00e\u00e9\u4e00";

    @Override
    public void run() throws Exception {
        Probe.bind("main", Thread.currentThread());
        String[] kinds = {"long", "longest", "odd"};
        String[] names = {LongNames.repeated('n', LONG), LongNames.repeated('n', LONGEST), ODD};
        for (int i = 0; i < kinds.length; i++) {
            Probe.fact(kinds[i], prefix() + names[i]);
        }
        Probe.checkpoint("before");
        for (int i = 0; i < kinds.length; i++) {
            Probe.bind(kinds[i], define(prefix() + names[i]));
        }
        Probe.checkpoint("after");
    }

    private static String prefix() {
        return Hooked.class.getName().replace('.', '/');
    }

    private static Class<?> define(String name) throws IOException {
        return new FreshLoader(Hooked.class).define(name.replace('/', '.'), new EditedClass(Hooked.class).with(prefix(), name).bytes());
    }

    /** A class that gets these names. */
    static class Hooked {
    }
}
