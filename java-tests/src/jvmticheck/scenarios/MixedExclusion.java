package jvmticheck.scenarios;

import jvmticheck.Scenario;

/** As {@link Exclusion}, with two virtual threads and a platform thread. JDK 21 and newer. */
public final class MixedExclusion extends Exclusion implements Scenario {
    @Override
    void start(Stage stage, Runnable body) throws ReflectiveOperationException {
        stage.keep(Virtual.thread("one", body)).start();
        stage.keep(Virtual.thread("two", body)).start();
        stage.cast("three", body).start();
    }
}
