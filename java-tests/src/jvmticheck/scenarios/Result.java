package jvmticheck.scenarios;

import jvmticheck.Probe;

/** Spins in a method of the given result type, named `spin` and the type, until the stage is over. */
final class Result implements Runnable, Probe.Condition {
    /** The result types, and a method that holds a monitor and its own. */
    static final String[] TYPES = {"int", "long", "float", "double", "object", "void", "boolean", "synchronized", "byte", "char", "short"};
    static final Object MONITOR = new Object();
    /** An object that a case may force, which a garbage collection may move. */
    static final Object FORCED = new String("forced");

    private final String type;
    private final Bodies bodies;
    private volatile int entered;
    private volatile boolean spinning;

    Result(String type, Bodies bodies) {
        this.type = type;
        this.bodies = bodies;
    }

    @Override
    public void run() {
        String result;
        switch (type) {
            case "int": result = String.valueOf(spinInt(1)); break;
            case "long": result = String.valueOf(spinLong(2)); break;
            case "float": result = String.valueOf(spinFloat(3)); break;
            case "double": result = String.valueOf(spinDouble(4)); break;
            case "object": result = told(spinObject("five")); break;
            case "boolean": result = String.valueOf(spinBoolean(true)); break;
            case "byte": result = String.valueOf(spinByte((byte) 7)); break;
            case "char": result = String.valueOf((int) spinChar('8')); break;
            case "short": result = String.valueOf(spinShort((short) 9)); break;
            case "synchronized": result = String.valueOf(spinSynchronized(6)); break;
            default: spinVoid(); result = "void"; break;
        }
        Probe.fact(type + ".returned", result);
        Probe.fact(type + ".entered", entered);
        Probe.fact(type + ".still-held", Thread.holdsLock(this) || Thread.holdsLock(MONITOR) ? 1 : 0);
    }

    private static String told(Object returned) {
        Probe.fact("object.same", returned == FORCED ? 1 : 0);
        return String.valueOf(returned);
    }

    @Override
    public boolean holds() {
        return spinning;
    }

    // Without a call, so that this frame is on top; see `Bodies.SOME`.

    private int spinInt(int argument) {
        for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            spinning = true;
        }
        return argument;
    }

    private long spinLong(long argument) {
        for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            spinning = true;
        }
        return argument;
    }

    private float spinFloat(float argument) {
        for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            spinning = true;
        }
        return argument;
    }

    private double spinDouble(double argument) {
        for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            spinning = true;
        }
        return argument;
    }

    private Object spinObject(Object argument) {
        for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            spinning = true;
        }
        return argument;
    }

    private boolean spinBoolean(boolean argument) {
        for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            spinning = true;
        }
        return argument;
    }

    private byte spinByte(byte argument) {
        for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            spinning = true;
        }
        return argument;
    }

    private char spinChar(char argument) {
        for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            spinning = true;
        }
        return argument;
    }

    private short spinShort(short argument) {
        for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            spinning = true;
        }
        return argument;
    }

    private void spinVoid() {
        for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
            spinning = true;
        }
    }

    private synchronized int spinSynchronized(int argument) {
        synchronized (MONITOR) {
            for (entered++; !bodies.over; bodies.made = ++bodies.rounds % Bodies.SOME == 0 ? new byte[0] : null) {
                spinning = true;
            }
            return argument;
        }
    }
}
