package jvmticheck.modular;

/** Provides `Runnable` once the module is updated to provide it; the only class of the module that `Modules` defines. */
public final class Provider implements Runnable {
    @Override
    public void run() {
    }
}
