package jvmticheck.scenarios;

/** Makes the threads of a scenario. A scenario that is the same with virtual threads overrides it. */
class OnPlatformThreads {
    /** A thread of the kind, unstarted. */
    Thread create(String name, Runnable body) throws Exception {
        return Stage.daemon(name, body);
    }
}
