package jvmticheck.scenarios;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** A thread that spins in a method with an object that only the variable 0 of its frame refers to, and returns it. */
public final class SoleReference implements Scenario {
    @Override
    public void run() throws Exception {
        final Stage stage = new Stage();
        Probe.bind("type", Sole.class);
        final String[] result = {""};
        try {
            stage.startSpinning(stage.cast("holder", new Runnable() {
                @Override
                public void run() {
                    try {
                        result[0] = String.valueOf(spin(new Sole(), stage.bodies));
                    } catch (Sole thrown) {
                        result[0] = "thrown " + thrown;
                    }
                }
            }));
            Probe.checkpoint("spinning");
        } finally {
            stage.close();
        }
        Probe.fact("result", result[0]);
    }

    static Object spin(Object sole, Bodies bodies) {
        while (!bodies.over) {
            if (++bodies.rounds % Bodies.SOME == 0) {
                bodies.made = new byte[0];
            }
        }
        return sole;
    }

    /** The class of the object, whose name is the same each time. */
    static final class Sole extends Error {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            return "sole";
        }
    }
}
