package jvmticheck.modular;

/** Provides `Runnable` once a module is said to; the only class of the module that `Modules` makes. */
public final class Provider implements Runnable {
    @Override
    public void run() {
    }
}
