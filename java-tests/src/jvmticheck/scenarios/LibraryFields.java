package jvmticheck.scenarios;

import java.io.StreamTokenizer;
import java.io.StringReader;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Reads and writes of the public fields of `java.io.StreamTokenizer`, which every class library has. */
public final class LibraryFields implements Scenario {
    @Override
    public void run() throws Exception {
        StreamTokenizer tokenizer = new StreamTokenizer(new StringReader(""));
        String word = "a word of LibraryFields";
        Probe.bind("main", Thread.currentThread());
        Probe.bind("class", StreamTokenizer.class);
        Probe.bind("tokenizer", tokenizer);
        Probe.bind("word", word);
        Probe.checkpoint("before");
        tokenizer.ttype = 7;
        tokenizer.nval = 2.5;
        tokenizer.sval = word;
        Probe.checkpoint("written");
        int type = tokenizer.ttype;
        double number = tokenizer.nval;
        String text = tokenizer.sval;
        Probe.checkpoint("read");
        Probe.fact("read", type + " " + number + " " + text);
    }
}
