package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.util.Arrays;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** JAR files with unusual characters in their names, each with a class, which an agent may add to the search of a class loader. */
public final class UnusualPaths implements Scenario {
    private static final String[][] NAMES = {{"spaces", " a  b .jar"}, {"percent", "%41%.jar"}, {"fragment", "a#b.jar"},
        {"query", "a?b=c&d.jar"}, {"plus", "a+b;c.jar"}, {"mark", "a!b.jar"}, {"folder", "a!/b.jar"}, {"quotes", "a'\"\\b.jar"},
        {"accent", "\u00e9\u4e16.jar"}, {"supplementary", "\uD83D\uDE00.jar"}, {"suffix", "a.zip.txt"}, {"none", "a"}};

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
            AddedClasses.write(file, prefix + name[0], "added");
            // Java may write another character if the locale or the file system has none such.
            Probe.fact(name[0] + ".named", Arrays.asList(parent.list()).contains(file.getName()) ? 1 : 0);
            Probe.bind(name[0], modified(file.getPath()));
        }
        Probe.checkpoint("ready");
        for (String[] name : NAMES) {
            AddedClasses.state(name[0], prefix + name[0]);
        }
        Probe.checkpoint("after");
    }

    /** A text in modified UTF-8, as C expects it, with a terminating zero. */
    private static byte[] modified(String text) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeUTF(text);
        byte[] counted = bytes.toByteArray();
        return Arrays.copyOfRange(counted, 2, counted.length + 1);
    }
}
