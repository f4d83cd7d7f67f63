package jvmticheck.scenarios;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

import jvmticheck.Probe;
import jvmticheck.Scenario;

/**
 * Calls a method that enters a monitor and returns without leaving it. A JVM may refuse that: the instruction that returns then throws.
 * The fact `thrown` says whether it did.
 */
public final class Unpaired implements Scenario {
    /** The class of the method, whose instruction that leaves the monitor is replaced. */
    public static final class Locking {
        public static int leave(Object lock) {
            synchronized (lock) {
                return 1;
            }
        }
    }

    private static final byte ALOAD_1 = 0x2b;
    private static final byte MONITOREXIT = (byte) 0xc3;
    private static final byte IRETURN = (byte) 0xac;
    private static final byte POP = 0x57;

    private Throwable thrown;

    @Override
    public void run() throws Exception {
        byte[] file = ClassFile.read(Locking.class);
        file[find(file) + 1] = POP;
        Probe.fact("location", find(new ClassFile(file).methods.get("leave").bytes) + 2);
        Method leave = new FreshLoader(Locking.class).define(Locking.class.getName(), file).getMethod("leave", Object.class);
        Probe.bind("class", leave.getDeclaringClass());
        Probe.bind("main", Thread.currentThread());
        Probe.checkpoint("before");
        try {
            leave.invoke(null, new Object());
        } catch (InvocationTargetException e) {
            thrown = e.getCause();
        }
        Probe.checkpoint("after");
        Probe.fact("thrown", thrown instanceof IllegalMonitorStateException ? 1 : 0);
    }

    /** Where the two instructions are that leave the monitor, or no longer do, before the method returns. */
    private static int find(byte[] bytes) throws IOException {
        for (int at = 0; at + 2 < bytes.length; at++) {
            boolean leaves = bytes[at + 1] == MONITOREXIT || bytes[at + 1] == POP;
            if (bytes[at] == ALOAD_1 && leaves && bytes[at + 2] == IRETURN) {
                return at;
            }
        }
        throw new IOException("no monitorexit before ireturn");
    }
}
