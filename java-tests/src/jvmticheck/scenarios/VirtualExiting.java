package jvmticheck.scenarios;

/** The same with a virtual thread. JDK 21 and newer. */
public final class VirtualExiting extends Exiting {
    @Override
    Thread create(Runnable body) throws Exception {
        return Virtual.thread("exiting", body);
    }
}
