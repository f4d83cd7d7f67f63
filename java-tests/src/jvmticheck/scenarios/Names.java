package jvmticheck.scenarios;

import java.lang.reflect.Field;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A class, its members, a thread and a group whose names contain a null character and a supplementary character. */
public final class Names implements Scenario {
    static final String ODD = "z\0s\uD83D\uDE00e\u00e9";

    @Override
    public void run() throws Exception {
        String name = Named.class.getName().replace('.', '/') + ODD;
        byte[] file = new EditedClass(Named.class).with(Named.class.getName().replace('.', '/'), name)
                .with("member", ODD).with("Names.java", ODD).bytes();
        Class<?> type = new FreshLoader(Named.class).define(null, file);
        Field field = type.getDeclaredFields()[0];
        Method method = type.getDeclaredMethods()[0];
        Probe.bind("class", type);
        Probe.bind("main", Thread.currentThread());
        ThreadGroup group = new ThreadGroup(ODD);
        Probe.bind("group", group);
        Probe.bind("thread", new Thread(group, ODD));
        Probe.fact("name", ODD);
        Probe.fact("class.signature", "L" + name + ";");
        Probe.fact("java.same", field.getName().equals(ODD) && method.getName().equals(ODD) ? 1 : 0);
        Probe.checkpoint("ready");
    }

    /** A class whose members get that name. */
    static class Named {
        static int member;

        private Named() {
        }

        static void member() {
        }
    }
}
