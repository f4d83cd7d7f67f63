package jvmticheck.scenarios;

/**
 * Enters its own monitor in a series of ways, each in a frame of its own, and then does something: `B` by a synchronized
 * block, `M` by a synchronized method, `J` by JNI MonitorEnter; `P` is a frame that enters nothing.
 */
final class Entering implements Runnable {
    private final String ways;
    private final Runnable body;

    Entering(String ways, Runnable body) {
        this.ways = ways;
        this.body = body;
    }

    @Override
    public void run() {
        next(0);
    }

    /** Takes the way at that place, and then the others. */
    private void next(int place) {
        if (place == ways.length()) {
            body.run();
            return;
        }
        switch (ways.charAt(place)) {
            case 'B':
                block(place);
                break;
            case 'M':
                method(place);
                break;
            case 'J':
                jni(place);
                break;
            default:
                plain(place);
        }
    }

    private void block(int place) {
        synchronized (this) {
            next(place + 1);
        }
    }

    private synchronized void method(int place) {
        next(place + 1);
    }

    private void plain(int place) {
        next(place + 1);
    }

    private void jni(final int place) {
        CastNatives.enterAndCall(this, new Runnable() {
            @Override
            public void run() {
                next(place + 1);
            }
        });
    }

    /** Locks an object that no other thread can ever see, which a compiler may leave out, and calls a native method. */
    static void unseen(boolean stay) {
        Object local = new Object();
        synchronized (local) {
            CastNatives.stayIf(stay);
        }
    }

    /** Locks the object twice in one frame, of which a compiler may leave out one, and calls a native method. */
    static void nested(Object object, boolean stay) {
        synchronized (object) {
            synchronized (object) {
                CastNatives.stayIf(stay);
            }
        }
    }

    /** Locks the object here and in a method that a compiler may inline, and calls a native method. */
    static void inlined(Object object, boolean stay) {
        synchronized (object) {
            again(object, stay);
        }
    }

    private static void again(Object object, boolean stay) {
        synchronized (object) {
            CastNatives.stayIf(stay);
        }
    }
}
