package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class whose class file has no information about its source: its attributes have names that no JVM knows. */
public final class Stripped implements Scenario {
    @Override
    public void run() throws Exception {
        byte[] file = new EditedClass(Bare.class).with("LineNumberTable", "Unknown1").with("LocalVariableTable", "Unknown2")
                .with("SourceFile", "Unknown3").bytes();
        FreshLoader loader = new FreshLoader(Bare.class);
        loader.define(Bare.class.getName(), file);
        Probe.bind("stripped", loader.initialised(Bare.class.getName()));
        Probe.checkpoint("ready");
    }

    /** The class. */
    public static class Bare {
    }
}
