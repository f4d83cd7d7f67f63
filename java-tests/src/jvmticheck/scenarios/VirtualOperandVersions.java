package jvmticheck.scenarios;

/** The same with a virtual thread. JDK 21 and newer. */
public final class VirtualOperandVersions extends OperandVersions {
    @Override
    Thread create(String name, Runnable body) throws ReflectiveOperationException {
        return Virtual.thread(name, body);
    }
}
