package jvmticheck.scenarios;

import java.lang.reflect.Array;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class that has much of everything: constants, interfaces, fields, methods, arguments, bytecodes, lines and variables. */
public final class Ample implements Scenario {
    private static final int DIMENSIONS = 255;

    @Override
    public void run() throws Exception {
        FreshLoader loader = new FreshLoader(Ample.class);
        String name = Ample.class.getName() + "$Made";
        String internal = name.replace('.', '/');
        Class<?>[] interfaces = new Class<?>[AmpleFile.INTERFACES];
        for (int i = 0; i < interfaces.length; i++) {
            interfaces[i] = loader.define(name + i, AmpleFile.plainInterface(internal + i));
        }
        byte[] file = AmpleFile.of(internal);
        Class<?> made;
        try {
            made = loader.define(name, file);
        } catch (UnsupportedClassVersionError refused) {
            // Some JVMs want no minor version.
            file[4] = 0;
            file[5] = 0;
            made = loader.define(name, file);
        }
        Class.forName(name, true, loader);
        Probe.bind("made", made);
        Probe.bind("file", file);
        Probe.bind("loader", loader);
        Class<?> deepest = Array.newInstance(int.class, new int[DIMENSIONS]).getClass();
        Probe.bind("deepest", deepest);
        Probe.fact("deepest.signature", deepest.getName());
        Probe.bind("deep", Array.newInstance(made, new int[9]).getClass());
        Probe.bind("runnables", Runnable[].class);
        Probe.checkpoint("made");
    }
}
