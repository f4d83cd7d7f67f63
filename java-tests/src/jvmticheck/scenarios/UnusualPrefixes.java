package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Native methods whose prefixes are long or have characters of several bytes, not linked before `ready`, and how the JVM links them then. */
public final class UnusualPrefixes implements Scenario {
    private static final int LONG = 300;
    /** The prefix with the supplementary character in modified UTF-8, and its end. */
    private static final byte[] SUPPLEMENTARY = {(byte) 0xed, (byte) 0xa0, (byte) 0xbd, (byte) 0xed, (byte) 0xb8, (byte) 0x80, '_', 0};

    @Override
    public void run() throws Exception {
        String longPrefix = LongNames.repeated('p', LONG) + "_";
        String accented = "\u00e9\u4e00_";
        String supplementary = "\uD83D\uDE00_";
        byte[] file = new EditedClass(Wrapped.class).with("second_first_layered", longPrefix + "wrapped")
                .with("third_first_skipping", accented + "wrapped").with("second_first_lacking", supplementary + "wrapped").bytes();
        Class<?> type = new FreshLoader(Wrapped.class).define(Wrapped.class.getName(), file);
        Probe.bind("class", type);
        Probe.bind("supplementary_bytes", SUPPLEMENTARY);
        Probe.checkpoint("ready");
        Probe.fact("long", resultOf(type, longPrefix));
        Probe.fact("accented", resultOf(type, accented));
        Probe.fact("supplementary", resultOf(type, supplementary));
        Probe.checkpoint("called");
    }

    /** What the method with that prefix returns, or -1 if it has no implementation. */
    private static int resultOf(Class<?> type, String prefix) throws Exception {
        return Wrapping.resultOf(type.getDeclaredMethod(prefix + "wrapped"));
    }
}
