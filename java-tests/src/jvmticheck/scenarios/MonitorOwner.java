package jvmticheck.scenarios;

/** Enters a monitor in each of its frames and parks: `holdOnce` m1, `holdTwice` and `holdAgain` m2, `holdNotified` m3. */
final class MonitorOwner implements Runnable {
    final Object once = new Object();
    final Object twice = new Object();
    final Object notified = new Object();
    private final Bodies bodies;

    MonitorOwner(Bodies bodies) {
        this.bodies = bodies;
    }

    @Override
    public void run() {
        holdOnce();
    }

    private void holdOnce() {
        synchronized (once) {
            holdTwice();
        }
    }

    private void holdTwice() {
        synchronized (twice) {
            holdAgain();
        }
    }

    private void holdAgain() {
        synchronized (twice) {
            holdNotified();
        }
    }

    private void holdNotified() {
        synchronized (notified) {
            notified.notifyAll();
            holdSelf();
        }
    }

    private synchronized void holdSelf() {
        bodies.parkUntilOver(false);
    }
}
