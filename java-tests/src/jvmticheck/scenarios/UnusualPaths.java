package jvmticheck.scenarios;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** JAR files with unusual characters in their names, each with a class, which an agent may add to the search of a class loader. */
public final class UnusualPaths implements Scenario {
    private static final String TWIN = "jvmticheck/scenarios/Twin";
    private static final String[][] NAMES = {{"spaces", " a  b .jar"}, {"percent", "%41%.jar"}, {"fragment", "a#b.jar"},
        {"query", "a?b=c&d.jar"}, {"plus", "a+b;c.jar"}, {"mark", "a!b.jar"}, {"folder", "a!/b.jar"}, {"quotes", "a'\"\\b.jar"},
        {"accent", "\u00e9\u4e16.jar"}, {"suffix", "a.zip.txt"}, {"none", "a"}};

    @Override
    public void run() throws Exception {
        String prefix = "jvmticheck/added/In" + System.nanoTime();
        File folder = File.createTempFile("jvmticheck", "");
        if (!folder.delete() || !folder.mkdir()) {
            throw new IOException("cannot make the folder " + folder);
        }
        folder.deleteOnExit();
        for (String[] name : NAMES) {
            File file = new File(folder, name[1]);
            File parent = file.getParentFile();
            if (!parent.equals(folder)) {
                parent.mkdir();
                parent.deleteOnExit();
            }
            file.deleteOnExit();
            write(file, prefix + name[0]);
            // Java may write another character if the locale or the file system has none such.
            Probe.fact(name[0] + ".named", Arrays.asList(parent.list()).contains(file.getName()) ? 1 : 0);
            Probe.bind(name[0], (file.getPath() + "\0").getBytes("UTF-8"));
        }
        Probe.checkpoint("ready");
        for (String[] name : NAMES) {
            Probe.fact(name[0] + ".origin", origin((prefix + name[0]).replace('/', '.')));
        }
        Probe.checkpoint("after");
    }

    private static void write(File file, String type) throws IOException {
        try (ZipOutputStream zip = new ZipOutputStream(new FileOutputStream(file))) {
            zip.putNextEntry(new ZipEntry(type + ".class"));
            zip.write(new EditedClass(Twin.class).with("class path", "added").with(TWIN, type).bytes());
            zip.closeEntry();
        }
    }

    private static String origin(String name) throws ReflectiveOperationException {
        try {
            return (String) Class.forName(name, true, ClassLoader.getSystemClassLoader()).getMethod("origin").invoke(null);
        } catch (ClassNotFoundException none) {
            return "none";
        }
    }
}
