package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
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
        File jar = made();
        AddedClasses.write(jar, "jvmticheck/added/Truncated" + System.nanoTime(), "added");
        byte[] whole = Files.readAllBytes(jar.toPath());
        bind("truncated", Arrays.copyOf(whole, whole.length / 2));
        if (!jar.delete()) {
            throw new IOException("cannot delete " + jar);
        }
        Probe.bind("missing", path(jar));
        Probe.checkpoint("ready");
    }

    private static void bind(String name, byte[] content) throws IOException {
        File file = made();
        Files.write(file.toPath(), content);
        Probe.bind(name, path(file));
    }

    private static File made() throws IOException {
        File file = File.createTempFile("jvmticheck", ".jar");
        file.deleteOnExit();
        return file;
    }

    /** The path in modified UTF-8, with a terminating zero. */
    private static byte[] path(File file) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeUTF(file.getPath());
        byte[] counted = bytes.toByteArray();
        return Arrays.copyOfRange(counted, 2, counted.length + 1);
    }
}
