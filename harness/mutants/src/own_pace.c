/* A JVM in which one call of many takes long, as it does where a machine is busy or a collector stops all threads. Included by broken.c. */
enum { LONG_CALL_MICROSECONDS = 20000, PACED = 156 };

static int32_t at_uneven_pace(int slot, word *a, double x) {
    static int64_t calls;
    if (__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST) % value[PACE][0] == 0) {
        act();
        usleep(LONG_CALL_MICROSECONDS);
    }
    return call(slot, a, x);
}

#define PACE_OF(slot) \
    static int32_t pace_##slot(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, double x) { \
        return at_uneven_pace(slot, (word[]){a, b, c, d, e, f, g, h, i, j}, x); \
    }
#define NAME_OF(slot) pace_##slot,
/* The slots whose numbers begin with those digits. */
#define TEN(of, first) \
    of(first##0) of(first##1) of(first##2) of(first##3) of(first##4) of(first##5) of(first##6) of(first##7) of(first##8) of(first##9)
#define ALL(of) \
    TEN(of, ) TEN(of, 1) TEN(of, 2) TEN(of, 3) TEN(of, 4) TEN(of, 5) TEN(of, 6) TEN(of, 7) TEN(of, 8) TEN(of, 9) TEN(of, 10) \
        TEN(of, 11) TEN(of, 12) TEN(of, 13) TEN(of, 14) TEN(of, 15)
ALL(PACE_OF)
static function const PACES[] = {ALL(NAME_OF)};

static void call_at_uneven_pace(void) {
    for (int slot = 1; slot <= PACED; slot++) {
        if (real[slot]) replace(slot, (void *)PACES[slot]);
    }
}
