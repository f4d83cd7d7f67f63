package jvmticheck;

/** Brings threads, classes, monitors and objects into named states; it asserts nothing. */
public interface Scenario {
    /** Runs once; ends every thread that it starts. */
    void run() throws Exception;
}
