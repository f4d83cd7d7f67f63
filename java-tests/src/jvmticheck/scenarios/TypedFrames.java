package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** The objects of Objects, and threads that spin in a method of each result type with a variable of each type. */
public final class TypedFrames implements Scenario {
    /** Not private, because an accessor would be a second frame. */
    static volatile Bodies until;

    @Override
    public void run() throws Exception {
        try (Stage stage = new Stage()) {
            until = stage.bodies;
            for (final String type : new String[] {"void", "int", "long", "float", "double", "object", "this"}) {
                stage.startSpinning(stage.cast("spin_" + type, new Runnable() {
                    @Override
                    public void run() {
                        Probe.fact("spin_" + type + ".result", String.valueOf(turn(type)));
                    }
                }));
            }
            stage.start(stage.keep(single()), Thread.State.RUNNABLE, "run");
            new Objects().run();
        }
    }

    /** A thread whose only frame is its own `run`. */
    private static Thread single() {
        Thread thread = new Thread("spin_single") {
            @Override
            public void run() {
                while (!until.over) {
                    until.made = ++until.rounds % Bodies.SOME == 0 ? new byte[0] : null;
                }
            }
        };
        thread.setDaemon(true);
        return thread;
    }

    private static Object turn(String type) {
        switch (type) {
            case "int":
                return spinInt(1, 2L, 3f, 4.0, "five");
            case "long":
                return spinLong(1, 2L, 3f, 4.0, "five");
            case "float":
                return spinFloat(1, 2L, 3f, 4.0, "five");
            case "double":
                return spinDouble(1, 2L, 3f, 4.0, "five");
            case "object":
                return spinObject(1, 2L, 3f, 4.0, "five");
            case "this":
                return new TypedFrames().spinThis();
            default:
                spinVoid(1, 2L, 3f, 4.0, "five");
                return null;
        }
    }

    // Without a call, so that the frame is on top; see `Bodies.SOME`.

    static void spinVoid(int i, long l, float f, double d, Object o) {
        while (!until.over) {
            until.made = ++until.rounds % Bodies.SOME == 0 ? new byte[0] : null;
        }
    }

    static int spinInt(int i, long l, float f, double d, Object o) {
        while (!until.over) {
            until.made = ++until.rounds % Bodies.SOME == 0 ? new byte[0] : null;
        }
        return i;
    }

    static long spinLong(int i, long l, float f, double d, Object o) {
        while (!until.over) {
            until.made = ++until.rounds % Bodies.SOME == 0 ? new byte[0] : null;
        }
        return l;
    }

    static float spinFloat(int i, long l, float f, double d, Object o) {
        while (!until.over) {
            until.made = ++until.rounds % Bodies.SOME == 0 ? new byte[0] : null;
        }
        return f;
    }

    static double spinDouble(int i, long l, float f, double d, Object o) {
        while (!until.over) {
            until.made = ++until.rounds % Bodies.SOME == 0 ? new byte[0] : null;
        }
        return d;
    }

    static String spinObject(int i, long l, float f, double d, Object o) {
        while (!until.over) {
            until.made = ++until.rounds % Bodies.SOME == 0 ? new byte[0] : null;
        }
        return String.valueOf(o);
    }

    TypedFrames spinThis() {
        while (!until.over) {
            until.made = ++until.rounds % Bodies.SOME == 0 ? new byte[0] : null;
        }
        return this;
    }
}
