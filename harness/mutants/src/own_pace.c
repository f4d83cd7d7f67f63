/* A JVM in which one call of many takes long, as it does where a machine is busy or a collector stops all threads. Included by broken.c. */
enum { LONG_CALL_MICROSECONDS = 20000 };

static int32_t at_uneven_pace(int slot, word *a, double x) {
    static int64_t calls;
    if (__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST) % value[PACE][0] == 0) {
        act();
        usleep(LONG_CALL_MICROSECONDS);
    }
    return call(slot, a, x);
}

static void call_at_uneven_pace(void) {
    for (int slot = 1; slot <= SLOTS; slot++) {
        if (real[slot]) replace_through(slot, at_uneven_pace);
    }
}
