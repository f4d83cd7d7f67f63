package jvmticheck.scenarios;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * The main thread calls native methods that read and write `FileDescriptor.fd`. It has called them so often before that a JVM with a
 * compiler does not interpret these calls. Another thread waits meanwhile.
 */
public final class NativeFields implements Scenario {
    /** A device, of which nothing can be read. */
    private static final String FILE = File.separatorChar == '\\' ? "NUL" : "/dev/null";
    private static final int OFTEN = 12000;
    /** How often the file is opened and closed, which takes longer. */
    private static final int SOME = 3000;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            stage.start(stage.cast("other", stage.bodies.park(false)), Thread.State.WAITING, "park");
            Probe.bind("main", Thread.currentThread());
            int calls = deeds(OFTEN, SOME);
            Probe.checkpoint("before");
            calls += deeds(3, 2);
            Probe.checkpoint("after");
            Probe.fact("calls", calls);
        }
    }

    /** Returns how many calls it has made. */
    private static int deeds(int reads, int opened) throws IOException {
        int calls = 0;
        try (FileInputStream stream = new FileInputStream(FILE)) {
            for (int i = 0; i < reads; i++) {
                calls += stream.available() < 0 ? 0 : 1;
            }
        }
        for (int i = 0; i < opened; i++) {
            new FileInputStream(FILE).close();
            calls++;
        }
        return calls;
    }
}
