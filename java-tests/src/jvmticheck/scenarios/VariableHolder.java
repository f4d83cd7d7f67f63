package jvmticheck.scenarios;

import jvmticheck.Probe;

/** A thread's frames with variables of each type: `spin` on top, and `other` below it. */
final class VariableHolder implements Runnable, Probe.Condition {
    private final Bodies bodies;
    private volatile boolean spinning;

    VariableHolder(Bodies bodies) {
        this.bodies = bodies;
    }

    @Override
    public void run() {
        other(true, (byte) -2, (short) -3, '\u0444', 5, 6L << 40, 7.5f, 8.25, LocalVariables.FIRST);
    }

    @Override
    public boolean holds() {
        return spinning;
    }

    /** Slots: this 0, boolean 1, byte 2, short 3, char 4, int 5, long 6, float 8, double 9, reference 11. */
    private void other(boolean z, byte b, short s, char c, int i, long j, float f, double d, Object o) {
        spin(10, 11L << 40, 12.5f, 13.25, o);
        state("other", z, b, s, c, i, j, f, d, o);
    }

    /** Slots: this 0, int 1, long 2, float 4, double 5, reference 7. */
    private void spin(int i, long j, float f, double d, Object o) {
        while (!bodies.over) {
            spinning = true;
            if (++bodies.rounds % Bodies.SOME == 0) {
                bodies.made = new byte[0];
            }
        }
        state("spin", true, (byte) 0, (short) 0, ' ', i, j, f, d, o);
    }

    static void state(
            String of, boolean z, byte b, short s, char c, int i, long j, float f, double d, Object o) {
        Probe.fact(of + ".z", z ? 1 : 0);
        Probe.fact(of + ".b", b);
        Probe.fact(of + ".s", s);
        Probe.fact(of + ".c", c);
        Probe.fact(of + ".i", i);
        Probe.fact(of + ".j", j);
        Probe.fact(of + ".f", String.valueOf(f));
        Probe.fact(of + ".d", String.valueOf(d));
        Probe.fact(of + ".o", String.valueOf(o));
    }
}
