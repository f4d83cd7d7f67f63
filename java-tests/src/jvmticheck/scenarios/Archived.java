package jvmticheck.scenarios;

import java.io.File;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Classes that the JVM may take from an archive, in which it keeps them prepared. `Versioned` is used between `before` and `loaded`, for
 * the first time in this JVM. The property `jvmticheck.archive` is the path of the archive.
 */
public final class Archived implements Scenario {
    @Override
    public void run() throws Exception {
        String archive = System.getProperty("jvmticheck.archive");
        Probe.fact("archive", archive != null && new File(archive).length() > 0 ? 1 : 0);
        // The class has to be prepared.
        Probe.bind("archived", Class.forName(Methods.class.getName()));
        int count = 0;
        for (String method : new ClassFile(Methods.class).methods.keySet()) {
            Probe.fact("method-" + count++, method);
        }
        Probe.checkpoint("before");
        String release = Versioned.release();
        Probe.checkpoint("loaded");
        byte[] file = ClassFile.read(Versioned.class);
        Probe.bind("file", file);
        Probe.fact("length", file.length);
        Probe.fact("release", release);
        Probe.checkpoint("after");
    }

    /** Its methods have no order but that of the class file. */
    static final class Methods {
        private Methods() {
        }

        static int sixth() {
            return 6;
        }

        static int second() {
            return 2;
        }

        static int eighth() {
            return 8;
        }

        static int first() {
            return 1;
        }

        static int seventh() {
            return 7;
        }

        static int third() {
            return 3;
        }

        static int fifth() {
            return 5;
        }

        static int fourth() {
            return 4;
        }
    }
}
