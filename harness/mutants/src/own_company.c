/* A JVM with another agent, which possesses what it can and has enabled most events, as an agent for monitoring may. Included by broken.c. */
enum { GET_POTENTIAL_CAPABILITIES = 140, SINGLE_STEP = 60, METHOD_ENTRY = 65, METHOD_EXIT = 66, EVENTS = 36 };
/* The capabilities that it leaves to others: those that HotSpot offers to one environment at a time, for breakpoints, watched fields and
 * suspending; and those for an early start, with which HotSpot up to 26 breaks rules (events/early-start). */
static const int LEFT[] = {1, 2, 19, 20, 41, 42};

static void take_no_notice(void) {}

static int32_t keep_company(void) {
    environment env = (environment)get_env(JVMTI_1);
    word capabilities[2] = {0}, callbacks[EVENTS];
    if (!env) return -1;
    if (call(GET_POTENTIAL_CAPABILITIES, (word[10]){(word)env, (word)capabilities}, 0) != NONE) return -1;
    for (size_t i = 0; i < sizeof LEFT / sizeof *LEFT; i++) capabilities[0] &= ~((word)1 << LEFT[i]);
    if (call(ADD_CAPABILITIES, (word[10]){(word)env, (word)capabilities}, 0) != NONE) return -1;
    for (int i = 0; i < EVENTS; i++) callbacks[i] = (word)take_no_notice;
    if (call(SET_EVENT_CALLBACKS, (word[10]){(word)env, (word)callbacks, sizeof callbacks}, 0) != NONE) return -1;
    for (word event = FIRST_EVENT; event < FIRST_EVENT + EVENTS; event++) {
        /* Those that would have all code interpreted. */
        if (event == SINGLE_STEP || event == METHOD_ENTRY || event == METHOD_EXIT) continue;
        if (call(SET_EVENT_NOTIFICATION_MODE, (word[10]){(word)env, 1, event, 0}, 0) == NONE) act();
    }
    return 0;
}
