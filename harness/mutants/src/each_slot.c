/* A function of its own for each slot of the function table, all of which pass their calls on. Included by broken.c. */
enum { SLOTS = 156 };

/* What they pass their calls on to. */
static int32_t (*pass_on)(int slot, word *a, double x);

#define PASS_ON(slot) \
    static int32_t slot_##slot(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, double x) { \
        return pass_on(slot, (word[]){a, b, c, d, e, f, g, h, i, j}, x); \
    }
#define NAME_OF(slot) slot_##slot,
/* The slots whose numbers begin with those digits. */
#define TEN(of, first) \
    of(first##0) of(first##1) of(first##2) of(first##3) of(first##4) of(first##5) of(first##6) of(first##7) of(first##8) of(first##9)
#define ALL(of) \
    TEN(of, ) TEN(of, 1) TEN(of, 2) TEN(of, 3) TEN(of, 4) TEN(of, 5) TEN(of, 6) TEN(of, 7) TEN(of, 8) TEN(of, 9) TEN(of, 10) \
        TEN(of, 11) TEN(of, 12) TEN(of, 13) TEN(of, 14) TEN(of, 15)
ALL(PASS_ON)
static function const EACH_SLOT[] = {ALL(NAME_OF)};

/* Has the function of that slot go through another one, which gets the slot as well. */
static void replace_through(int slot, int32_t (*through)(int, word *, double)) {
    pass_on = through;
    replace(slot, (void *)EACH_SLOT[slot]);
}
