package jvmticheck.scenarios;

/** The same with a virtual thread that waits. JDK 21 and newer. */
public final class VirtualHeldNotification extends HeldNotification {
    @Override
    Thread create(Runnable body) throws Exception {
        return Virtual.thread("waiter", body);
    }
}
