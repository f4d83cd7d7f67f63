package jvmticheck.scenarios;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Large classes that are new in each run. A thread links and initialises each while the main thread marks a checkpoint: with each class
 * at a later moment, between the middle and the end of the time that linking takes.
 */
public final class Linking implements Scenario {
    private static final String NAME = "jvmticheck/scenarios/Linking$Large";
    private static final int CLASSES = 8;
    private static final int METHODS = 16;
    /** Each method loads a text so often. */
    private static final int LOADS = 20_000;
    private static volatile boolean begun;

    @Override
    public void run() throws Exception {
        byte[] file = file();
        int right = 0;
        // The first time takes longer.
        linkingTime(file);
        long whole = linkingTime(file);
        for (int i = 1; i <= CLASSES; i++) {
            FreshLoader loader = new FreshLoader(Linking.class);
            Class<?> type = loader.define(null, file);
            Probe.bind("class" + i, type);
            begun = false;
            Thread thread = Stage.daemon("linking", linking(loader.initialisation(NAME.replace('/', '.'))));
            thread.start();
            Thread.sleep(1);
            begun = true;
            for (long end = System.nanoTime() + whole * (CLASSES + i) / (2 * CLASSES); System.nanoTime() < end;) {
                Thread.yield();
            }
            Probe.checkpoint("linking" + i);
            thread.join();
            right += "text".equals(Answer.of(type)) ? 1 : 0;
        }
        Probe.fact("right", right);
        Probe.checkpoint("after");
    }

    /** How long linking and initialising takes, in nanoseconds. */
    private static long linkingTime(byte[] file) throws Exception {
        FreshLoader loader = new FreshLoader(Linking.class);
        loader.define(null, file);
        long start = System.nanoTime();
        loader.initialised(NAME.replace('/', '.'));
        return System.nanoTime() - start;
    }

    private static Runnable linking(final Runnable initialisation) {
        return new Runnable() {
            @Override
            public void run() {
                while (!begun) {
                    Thread.yield();
                }
                initialisation.run();
            }
        };
    }

    /** A class file with many long methods, the last of which is `answer`. */
    private static byte[] file() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(0xCAFEBABE);
        out.writeInt(50);
        String[] texts = {NAME, "java/lang/Object", "answer", "()Ljava/lang/String;", "Code", "text"};
        out.writeShort(texts.length + 4 + METHODS);
        for (String each : texts) {
            ConstantPool.text(out, each);
        }
        ConstantPool.reference(out, 7, 1);
        ConstantPool.reference(out, 7, 2);
        ConstantPool.reference(out, 8, 6);
        for (int i = 0; i < METHODS; i++) {
            ConstantPool.text(out, "m" + i);
        }
        out.writeShort(0x21);
        out.writeShort(7);
        out.writeShort(8);
        out.writeShort(0);
        out.writeShort(0);
        out.writeShort(METHODS + 1);
        for (int i = 0; i < METHODS; i++) {
            LoadingMethod.write(out, 10 + i, LOADS, 9);
        }
        LoadingMethod.write(out, 3, LOADS, 9);
        out.writeShort(0);
        return bytes.toByteArray();
    }
}
