package jvmticheck;

import java.lang.reflect.InvocationTargetException;

/** Asks another JVM to load an agent, by the attach API of this JDK. */
public final class Attach {
    /** Exit code if this JDK has no attach API. */
    private static final int NO_API = 3;

    private Attach() {
    }

    /** Arguments: the process, the library, and the agent's options. Prints what the JVM answered. */
    public static void main(String[] args) throws ReflectiveOperationException {
        Class<?> api;
        try {
            // By its name: the module that has it is not in every runtime.
            api = Class.forName("com.sun.tools.attach.VirtualMachine");
        } catch (ClassNotFoundException missing) {
            System.exit(NO_API);
            return;
        }
        Object target = api.getMethod("attach", String.class).invoke(null, args[0]);
        try {
            api.getMethod("loadAgentPath", String.class, String.class).invoke(target, args[1], args[2]);
            System.out.println("0");
        } catch (InvocationTargetException refused) {
            // The agent's own answer, or that there is no such agent: an answer like others.
            System.out.println(refused.getCause());
        } finally {
            api.getMethod("detach").invoke(target);
        }
    }
}
