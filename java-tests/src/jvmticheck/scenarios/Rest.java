package jvmticheck.scenarios;

import jvmticheck.Probe;

/** Where the frames of `FrameWays` rest: each calls `in`, and uses its variables afterwards, so that no JVM may regard them as dead. */
public final class Rest {
    /** That of the class initialiser that runs next, which another loader has defined. */
    public static volatile Rest handed;

    private final String name;
    private final Bodies bodies;
    private volatile double sum;
    private volatile Object used;

    Rest(String name, Bodies bodies) {
        this.name = name;
        this.bodies = bodies;
    }

    /** Rests in a call of the method that calls this; the class that declares it and its receiver, if it has one, are given. */
    public void in(Class<?> declaring, Object receiver) {
        Probe.bind(name + "_class", declaring);
        if (receiver != null) {
            Probe.bind(name + "_receiver", receiver);
        }
        bodies.parkUntilOver(false);
    }

    /** Takes the receiver of the frame, too. */
    public void use(int number, long wide, float small, double large, Object object, Object receiver) {
        use(number, wide, small, large, object);
        used = receiver;
    }

    /** Takes the variables of the frame. */
    public void use(int number, long wide, float small, double large, Object object) {
        sum = number + wide + small + large;
        used = object;
    }
}
