package jvmticheck;

/** Brings threads, classes, monitors and objects into named states; it asserts nothing. */
public interface Scenario {
    /** Runs the scenario once; it ends every thread that it starts. */
    void run() throws Exception;
}
