/* A JVM that begins each stack with a frame of a native method of its own, which calls what the thread is to execute. Included by
 * broken.c. A stack without any other frame has none either. Nor is the frame shown to environments that could tell that no MethodExit
 * comes for it: they possess the capability whose bit the option names. */
enum {
    GET_FRAME_COUNT = 16, NOTIFY_FRAME_POP = 20, ALLOCATE = 46, POP_FRAME = 80, GET_ALL_STACK_TRACES = 100,
    GET_THREAD_LIST_STACK_TRACES = 101, GET_STACK_TRACE = 104, GET_LOCAL_INSTANCE = 155
};
enum { NO_MORE_FRAMES = 31, OPAQUE_FRAME = 32, INVALID_SLOT = 35, ILLEGAL_ARGUMENT = 103 };
enum { GET_STATIC_METHOD_ID = 113, EXCEPTION_CHECK = 228 };
struct frame { word method; int64_t location; };
struct stack { word thread; int32_t state; struct frame *frames; int32_t count; };

/* The native method, once JNI may be asked for it. */
static word own_method(word environment) {
    static word method;
    if (possesses(environment, value[LAUNCH][0])) return 0;
    word *env = method ? NULL : jni();
    if (!env || (unsigned char)ask_jni(EXCEPTION_CHECK, 0, 0)) return method;
    word class = find_class(env, "java/lang/Thread");
    if (!class) return 0;
    method = method_of(env, GET_STATIC_METHOD_ID, class, "registerNatives", "()V");
    ask_jni(DELETE_LOCAL_REF, class, 0);
    return method;
}

/* The frames of the thread without that one, or 0. */
static int32_t others(word env, word thread) {
    int32_t count = 0;
    word a[10] = {env, thread, (word)&count};
    return own_method(env) && call(GET_FRAME_COUNT, a, 0) == NONE ? count : 0;
}

static int32_t frame_count(word e, word thread, int32_t *count) {
    word a[10] = {e, thread, (word)count};
    int32_t error = call(GET_FRAME_COUNT, a, 0);
    if (error != NONE || *count == 0 || !own_method(e)) return error;
    act();
    ++*count;
    return NONE;
}

static int32_t frame_location(word e, word thread, word depth, word *method, int64_t *location) {
    word a[10] = {e, thread, depth, (word)method, (word)location};
    int32_t error = call(GET_FRAME_LOCATION, a, 0), count;
    if (error != NO_MORE_FRAMES || !(count = others(e, thread)) || (int32_t)depth != count) return error;
    act();
    *method = own_method(e);
    *location = -1;
    return NONE;
}

static int32_t stack_trace(word e, word thread, word start, word most, struct frame *frames, int32_t *got) {
    word a[10] = {e, thread, start, most, (word)frames, (word)got};
    int32_t count = others(e, thread), from = (int32_t)start, max = (int32_t)most;
    if (!count || max < 0 || !frames || !got) return call(GET_STACK_TRACE, a, 0);
    if (from < 0) from += count + 1;
    if (from < 0 || from > count) return ILLEGAL_ARGUMENT;
    int32_t error = NONE;
    *got = 0;
    a[2] = (word)from;
    if (from < count) error = call(GET_STACK_TRACE, a, 0);
    if (error != NONE || *got >= max) return error;
    act();
    frames[(*got)++] = (struct frame){own_method(e), -1};
    return NONE;
}

/* Puts the frame at the end of each stack that has room for it, in memory of the same kind. */
static void extend(word e, struct stack **stacks, int32_t count, int32_t max) {
    struct stack *old = *stacks, *new = NULL;
    int64_t bytes = (int64_t)sizeof *old * count;
    if (!old || !own_method(e)) return;
    for (int32_t i = 0; i < count; i++) bytes += (int64_t)sizeof(struct frame) * (old[i].count + 1);
    word a[10] = {e, (word)bytes, (word)&new};
    if (count <= 0 || call(ALLOCATE, a, 0) != NONE) return;
    struct frame *next = (struct frame *)(new + count);
    for (int32_t i = 0; i < count; i++) {
        new[i] = old[i];
        new[i].frames = old[i].count ? next : NULL;
        if (old[i].count) memcpy(next, old[i].frames, (size_t)old[i].count * sizeof *next);
        if (old[i].count && old[i].count < max) {
            act();
            next[new[i].count++] = (struct frame){own_method(e), -1};
        }
        next += new[i].count;
    }
    word memory[10] = {e, (word)old};
    call(DEALLOCATE, memory, 0);
    *stacks = new;
}

static int32_t all_stack_traces(word e, word max, struct stack **stacks, int32_t *count) {
    word a[10] = {e, max, (word)stacks, (word)count};
    int32_t error = call(GET_ALL_STACK_TRACES, a, 0);
    if (error == NONE) extend(e, stacks, *count, (int32_t)max);
    return error;
}

static int32_t list_stack_traces(word e, word count, word threads, word max, struct stack **stacks) {
    word a[10] = {e, count, threads, max, (word)stacks};
    int32_t error = call(GET_THREAD_LIST_STACK_TRACES, a, 0);
    if (error == NONE) extend(e, stacks, (int32_t)count, (int32_t)max);
    return error;
}

/* The frame can neither be popped nor changed nor told the variables of. */
static int32_t of_frame(int slot, word *a, double x) {
    int32_t error = call(slot, a, x), count;
    if (error != NO_MORE_FRAMES || !(count = others(a[0], a[1]))) return error;
    if (slot == POP_FRAME ? count != 1 : (int32_t)a[2] != count) return error;
    act();
    return slot == GET_LOCAL_INSTANCE ? INVALID_SLOT : OPAQUE_FRAME;
}
#define OF_FRAME(slot) \
    static int32_t of_frame_##slot(word a, word b, word c, word d, word e, word f, word g, word h, word i, word j, double x) { \
        return of_frame(slot, (word[]){a, b, c, d, e, f, g, h, i, j}, x); \
    }
OF_FRAME(20) OF_FRAME(21) OF_FRAME(22) OF_FRAME(23) OF_FRAME(24) OF_FRAME(25) OF_FRAME(26) OF_FRAME(27) OF_FRAME(28)
OF_FRAME(29) OF_FRAME(30) OF_FRAME(80) OF_FRAME(155)

static void launch_from_own_frame(void) {
    static void *const OF_FRAMES[] = {
        of_frame_20, of_frame_21, of_frame_22, of_frame_23, of_frame_24, of_frame_25, of_frame_26, of_frame_27, of_frame_28,
        of_frame_29, of_frame_30
    };
    for (int i = 0; i < 11; i++) replace(NOTIFY_FRAME_POP + i, OF_FRAMES[i]);
    replace(POP_FRAME, of_frame_80);
    replace(GET_LOCAL_INSTANCE, of_frame_155);
    replace(GET_FRAME_COUNT, frame_count);
    replace(GET_FRAME_LOCATION, frame_location);
    replace(GET_STACK_TRACE, stack_trace);
    replace(GET_ALL_STACK_TRACES, all_stack_traces);
    replace(GET_THREAD_LIST_STACK_TRACES, list_stack_traces);
}
