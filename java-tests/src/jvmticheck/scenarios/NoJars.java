package jvmticheck.scenarios;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Files that are no JAR files. */
public final class NoJars implements Scenario {
    @Override
    public void run() throws Exception {
        bind("text", "This is text, and no JAR file.\n".getBytes(StandardCharsets.US_ASCII));
        bind("empty", new byte[0]);
        File jar = AddedClasses.jar("jvmticheck/added/Truncated" + System.nanoTime(), "added");
        byte[] whole = Files.readAllBytes(jar.toPath());
        bind("truncated", Arrays.copyOf(whole, whole.length / 2));
        if (!jar.delete()) {
            throw new IOException("cannot delete " + jar);
        }
        AddedClasses.bind("missing", jar);
        Probe.checkpoint("ready");
    }

    private static void bind(String name, byte[] content) throws IOException {
        File file = File.createTempFile("jvmticheck", ".jar");
        file.deleteOnExit();
        Files.write(file.toPath(), content);
        AddedClasses.bind(name, file);
    }
}
