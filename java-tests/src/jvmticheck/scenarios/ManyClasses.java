package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Forty classes, new in each run, that have the same class file but for the name. */
public final class ManyClasses implements Scenario {
    private static final int CLASSES = 40;

    @Override
    public void run() throws Exception {
        String name = Numbered.class.getName();
        FreshLoader loader = new FreshLoader(Numbered.class);
        Class<?>[] classes = new Class<?>[CLASSES];
        for (int i = 0; i < CLASSES; i++) {
            String own = name + i;
            byte[] file = new EditedClass(Numbered.class).with(name.replace('.', '/'), own.replace('.', '/')).bytes();
            loader.define(own, file);
            classes[i] = loader.initialised(own);
            Probe.bind("class_" + i, classes[i]);
        }
        Probe.checkpoint("ready");
        int answers = 0;
        for (Class<?> type : classes) {
            answers += type.getMethod("answer").invoke(null).equals("one") ? 1 : 0;
        }
        Probe.fact("answers", answers);
        Probe.checkpoint("after");
    }

    /** The class that they are like. */
    public static final class Numbered {
        public static String answer() {
            return "one";
        }
    }
}
