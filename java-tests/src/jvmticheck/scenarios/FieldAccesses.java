package jvmticheck.scenarios;

import java.lang.reflect.Field;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/** Reads and writes each field once between two checkpoints: by Java code up to `accessed`, then by reflection. */
public final class FieldAccesses implements Scenario {
    @Override
    public void run() throws Exception {
        Watched watched = new Watched();
        Watched other = new Watched();
        Field instanceInt = Watched.class.getDeclaredField("instanceInt");
        instanceInt.setInt(watched, instanceInt.getInt(watched));
        Probe.bind("class", Watched.class);
        Probe.bind("superclass", Heir.class.getSuperclass());
        Probe.bind("heir_class", Heir.class);
        Probe.bind("watched", watched);
        Probe.bind("other", other);
        Probe.bind("main", Thread.currentThread());
        Object value = "value";
        Probe.bind("value", value);
        Heir heir = new Heir();
        Probe.bind("heir", heir);
        Probe.bind("typed", new Typed());
        Probe.bind("typed_class", Typed.class);
        Probe.checkpoint("before");
        write(watched, value);
        Probe.checkpoint("written");
        String read = read(watched);
        Probe.checkpoint("read");
        heir.instanceInt = 21;
        read += " " + heir.instanceInt;
        Probe.checkpoint("inherited");
        other.instanceInt++;
        read += " " + other.instanceInt;
        Probe.checkpoint("accessed");
        instanceInt.setInt(watched, 31);
        read += " " + instanceInt.getInt(watched);
        Probe.checkpoint("reflected");
        Probe.fact("read", read);
    }

    /** Writes each field once. */
    private static void write(Watched watched, Object value) {
        watched.instanceBoolean = true;
        watched.instanceByte = -2;
        watched.instanceShort = -3;
        watched.instanceChar = '\u0444';
        watched.instanceInt = 5;
        watched.instanceLong = 6L << 40;
        watched.instanceFloat = 7.5f;
        watched.instanceDouble = 8.25;
        watched.instanceObject = value;
        Watched.staticInt = 10;
        Watched.staticLong = 11L << 40;
        Watched.staticObject = value;
    }

    /** Reads each field once. */
    private static String read(Watched watched) {
        return watched.instanceBoolean + " " + watched.instanceByte + " " + watched.instanceShort + " "
                + (int) watched.instanceChar + " " + watched.instanceInt + " " + watched.instanceLong + " "
                + watched.instanceFloat + " " + watched.instanceDouble + " " + watched.instanceObject + " "
                + Watched.staticInt + " " + Watched.staticLong + " " + Watched.staticObject;
    }

    /** The class whose fields agents watch. */
    static class Watched {
        static int staticInt;
        static long staticLong;
        static Object staticObject;
        boolean instanceBoolean;
        byte instanceByte;
        short instanceShort;
        char instanceChar;
        int instanceInt;
        long instanceLong;
        float instanceFloat;
        double instanceDouble;
        Object instanceObject;
    }

    /** Static and instance fields of each type, which only agents read and write. */
    static final class Typed {
        static Object ofClassObject;
        static boolean ofClassBoolean;
        static byte ofClassByte;
        static char ofClassChar;
        static short ofClassShort;
        static int ofClassInt;
        static long ofClassLong;
        static float ofClassFloat;
        static double ofClassDouble;
        Object ofObject;
        boolean ofBoolean;
        byte ofByte;
        char ofChar;
        short ofShort;
        int ofInt;
        long ofLong;
        float ofFloat;
        double ofDouble;
    }

    /** A class that inherits those fields. */
    static final class Heir extends Watched {
    }
}
