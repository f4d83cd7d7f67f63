package jvmticheck.scenarios;

/** A virtual thread that does what the thread of `HotHandlers` does. JDK 21 and newer. */
public final class VirtualHotHandlers extends HotHandlers {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
