package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** A virtual thread that does what the thread of `ExceptionLeft` does. JDK 21 and newer. */
public final class VirtualExceptionLeft extends ExceptionLeft implements Scenario {
    @Override
    Thread create(String name, Runnable body) throws Exception {
        return Virtual.thread(name, body);
    }
}
