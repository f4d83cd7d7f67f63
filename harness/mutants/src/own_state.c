/* A JVM whose threads wait, sleep and are parked in native code, so that the state of such a thread has that bit as well; or one that does
 * not know why they wait, nor whether they run native code. Included by broken.c, after own_frame.c. */
enum { SLEEPING = 0x40, WAITING = 0x80, IN_OBJECT_WAIT = 0x100, PARKED = 0x200, IN_NATIVE = 0x400000 };
enum { UNKNOWN = SLEEPING | IN_OBJECT_WAIT | PARKED | IN_NATIVE };

static int32_t resting(int32_t state) {
    if (value[REST][0] == 2) {
        if (state & UNKNOWN) act();
        return state & ~UNKNOWN;
    }
    if (!(state & WAITING) || (state & IN_NATIVE)) return state;
    act();
    return state | IN_NATIVE;
}

static int32_t thread_state(word e, word thread, int32_t *state) {
    word a[10] = {e, thread, (word)state};
    int32_t error = call(GET_THREAD_STATE, a, 0);
    if (error == NONE) *state = resting(*state);
    return error;
}

static int32_t states_of_all(word e, word max, struct stack **stacks, int32_t *count) {
    word a[10] = {e, max, (word)stacks, (word)count};
    int32_t error = call(GET_ALL_STACK_TRACES, a, 0);
    for (int32_t i = 0; error == NONE && i < *count; i++) (*stacks)[i].state = resting((*stacks)[i].state);
    return error;
}

static int32_t states_of_list(word e, word count, word threads, word max, struct stack **stacks) {
    word a[10] = {e, count, threads, max, (word)stacks};
    int32_t error = call(GET_THREAD_LIST_STACK_TRACES, a, 0);
    for (int32_t i = 0; error == NONE && i < (int32_t)count; i++) (*stacks)[i].state = resting((*stacks)[i].state);
    return error;
}

static void rest_in_native_code(void) {
    replace(GET_THREAD_STATE, thread_state);
    replace(GET_ALL_STACK_TRACES, states_of_all);
    replace(GET_THREAD_LIST_STACK_TRACES, states_of_list);
}
