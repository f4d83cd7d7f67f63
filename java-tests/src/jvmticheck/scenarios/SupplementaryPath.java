package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A JAR file with a supplementary character in its name, which an agent may add to the search of a class loader. */
public final class SupplementaryPath implements Scenario {
    private static final String TWIN = "jvmticheck/scenarios/Twin";

    @Override
    public void run() throws Exception {
        String name = "jvmticheck/added/In" + System.nanoTime() + "Supplementary";
        File file = File.createTempFile("jvmticheck\uD83D\uDE00", ".jar");
        file.deleteOnExit();
        try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(file))) {
            zip.putNextEntry(new ZipEntry(name + ".class"));
            zip.write(new EditedClass(Twin.class).with("class path", "added").with(TWIN, name).bytes());
            zip.closeEntry();
        }
        // Java may write another character if the locale or the file system has none such.
        Probe.fact("named", Arrays.asList(file.getParentFile().list()).contains(file.getName()) ? 1 : 0);
        Probe.bind("jar", modified(file.getPath()));
        Probe.checkpoint("ready");
        Probe.fact("origin", origin(name.replace('/', '.')));
        Probe.checkpoint("after");
    }

    /** A text in modified UTF-8, as C expects it, with a terminating zero. */
    private static byte[] modified(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeUTF(text);
        byte[] counted = bytes.toByteArray();
        return Arrays.copyOfRange(counted, 2, counted.length + 1);
    }

    private static String origin(String name) throws ReflectiveOperationException {
        try {
            return (String) Class.forName(name, true, ClassLoader.getSystemClassLoader()).getMethod("origin").invoke(null);
        } catch (ClassNotFoundException none) {
            return "none";
        }
    }
}
