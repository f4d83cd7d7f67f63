package jvmticheck.scenarios;

/** What threads wait for on its monitor, until another thread gives it. */
final class Notice {
    private boolean given;

    void enterAndWait() {
        synchronized (this) {
            while (!given) {
                try {
                    wait();
                } catch (InterruptedException nobody) {
                    throw new IllegalStateException(nobody);
                }
            }
        }
    }

    /** Lets them go on, once they have the monitor. */
    void give() {
        synchronized (this) {
            given = true;
            notifyAll();
        }
    }
}
