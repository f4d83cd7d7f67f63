/* A JVM with a thread of its own that does something again and again in the live phase. Included by broken.c. */
enum { ATTACH_AS_DAEMON = 7, PAUSE_MICROSECONDS = 3000, LONG_PAUSE_MICROSECONDS = 15000 };
enum {
    EXCEPTION_CLEAR = 17, NEW_OBJECT_A = 30, CALL_OBJECT_METHOD_A = 36, CALL_VOID_METHOD_A = 63, CALL_STATIC_INT_METHOD_A = 131,
    CALL_STATIC_VOID_METHOD_A = 143, NEW_STRING_UTF = 167, MONITOR_ENTER = 217, MONITOR_EXIT = 218
};
enum { GET_ALL_THREADS = 4, GET_CLASS_STATUS = 49, GET_LOADED_CLASSES = 78, FORCE_GARBAGE_COLLECTION = 108 };
/* What the thread does. */
enum busy { LIVES_LIKE_A_PROGRAM = 1, UNPARKS, LINKS, COLLECTS };
/* Bits of a class's status: prepared, or one that never is. */
enum { LINKED_OR_NEVER = 0x2 | 0x8 | 0x10 | 0x20 };

static const char *const CLASSES_OF_LIBRARY[] = {
    "java/util/BitSet", "java/util/TreeMap", "java/util/PriorityQueue", "java/util/StringTokenizer", "java/util/LinkedHashSet",
    "java/util/zip/Adler32", "java/util/zip/Deflater", "java/text/MessageFormat", "java/text/ChoiceFormat", "java/math/BigDecimal",
    "java/math/MathContext", "java/io/StringWriter", "java/io/PushbackReader", "java/io/CharArrayWriter", "java/io/LineNumberReader",
    "java/util/concurrent/Phaser", "java/util/concurrent/Exchanger", "java/util/concurrent/DelayQueue",
    "java/util/concurrent/CyclicBarrier", "java/util/regex/Pattern", "java/net/URI", "java/util/Scanner", "java/util/Stack",
    "java/util/UUID", "java/util/Formatter", "java/util/Timer", "java/util/WeakHashMap", "java/util/Observable"
};
enum { LIBRARY = sizeof CLASSES_OF_LIBRARY / sizeof *CLASSES_OF_LIBRARY };

static word call_method(word *env, int function, word of, word method, word argument) {
    word arguments[1] = {argument};
    if (!of || !method) return 0;
    return ((word(*)(word *, word, word, word *))((word *)*env)[function])(env, of, method, arguments);
}

/* It loads classes, throws exceptions, waits, and starts threads: one deed after the other, each as a round. */
static void live(word *env, int round) {
    word *functions = (word *)*env;
    word class = find_class(env, round % 4 == 0 ? CLASSES_OF_LIBRARY[round / 4 % LIBRARY] : round % 4 == 1 ? "java/lang/Integer" : "java/lang/Thread");
    if (round % 4 == 1) {
        word text = ((word(*)(word *, const char *))functions[NEW_STRING_UTF])(env, "none");
        call_method(env, CALL_STATIC_INT_METHOD_A, class, method_of(env, GET_STATIC_METHOD_ID, class, "parseInt", "(Ljava/lang/String;)I"), text);
    } else if (round % 4 == 2) {
        word thread = call_method(env, NEW_OBJECT_A, class, method_of(env, GET_METHOD_ID, class, "<init>", "()V"), 0);
        call_method(env, CALL_VOID_METHOD_A, thread, method_of(env, GET_METHOD_ID, class, "start", "()V"), 0);
    } else if (round % 4 == 3) {
        ask_jni(MONITOR_ENTER, class, 0);
        call_method(env, CALL_VOID_METHOD_A, class, method_of(env, GET_METHOD_ID, find_class(env, "java/lang/Object"), "wait", "(J)V"), 1);
        ask_jni(MONITOR_EXIT, class, 0);
    }
}

/* Parked threads may wake for no reason: each platform thread that is parked does, and one that is not will next time. */
static void unpark_all(word jvmti, word *env) {
    word *threads = NULL;
    int32_t count = 0;
    word a[10] = {jvmti, (word)&count, (word)&threads}, class = find_class(env, "java/util/concurrent/locks/LockSupport");
    word unpark = method_of(env, GET_STATIC_METHOD_ID, class, "unpark", "(Ljava/lang/Thread;)V");
    if (call(GET_ALL_THREADS, a, 0) != NONE) return;
    for (int32_t i = 0; i < count; i++) call_method(env, CALL_STATIC_VOID_METHOD_A, class, unpark, threads[i]);
    word memory[10] = {jvmti, (word)threads};
    call(DEALLOCATE, memory, 0);
}

/* Classes may be linked before anything uses them: reflection links a class whose constructors are asked for. */
static void link_all(word jvmti, word *env) {
    word *classes = NULL;
    int32_t count = 0, status;
    word a[10] = {jvmti, (word)&count, (word)&classes}, class = find_class(env, "java/lang/Class");
    word constructors = method_of(env, GET_METHOD_ID, class, "getDeclaredConstructors", "()[Ljava/lang/reflect/Constructor;");
    if (call(GET_LOADED_CLASSES, a, 0) != NONE) return;
    for (int32_t i = 0; i < count; i++) {
        word of[10] = {jvmti, classes[i], (word)&status};
        if (call(GET_CLASS_STATUS, of, 0) != NONE || (status & LINKED_OR_NEVER) || has_loader(jvmti, classes[i], 1)) continue;
        call_method(env, CALL_OBJECT_METHOD_A, classes[i], constructors, 0);
        ((void (*)(word *))((word *)*env)[EXCEPTION_CLEAR])(env);
    }
    word memory[10] = {jvmti, (word)classes};
    call(DEALLOCATE, memory, 0);
}

static void act_once(word jvmti, word *env, int round) {
    word *functions = (word *)*env;
    ((int32_t(*)(word *, int32_t))functions[19])(env, 16); /* PushLocalFrame */
    switch ((enum busy)value[BUSY][0]) {
    case LIVES_LIKE_A_PROGRAM: live(env, round); break;
    case UNPARKS: unpark_all(jvmti, env); break;
    case LINKS: link_all(jvmti, env); break;
    case COLLECTS: call(FORCE_GARBAGE_COLLECTION, (word[10]){jvmti}, 0); break;
    }
    ((void (*)(word *))functions[EXCEPTION_CLEAR])(env);
    ((word(*)(word *, word))functions[20])(env, 0); /* PopLocalFrame */
}

enum { PATIENCE = 100 };
static int is_live, is_acting;

static int holds(int *flag) { return __atomic_load_n(flag, __ATOMIC_SEQ_CST); }
static void put(int *flag, int to) { __atomic_store_n(flag, to, __ATOMIC_SEQ_CST); }

/* What VMInit tells: no thread can be attached earlier, and one that is not attached may not ask for the phase. */
static void begin_to_live(void) { put(&is_live, 1); }

/* What VMDeath tells: HotSpot would send events of the thread to agents that have had theirs. */
static void end_to_live(void) {
    put(&is_live, 0);
    for (int i = 0; i < PATIENCE && holds(&is_acting); i++) usleep(PAUSE_MICROSECONDS);
}

static void *own_thread(void *environment) {
    struct { int32_t version; const char *name; word group; } arguments = {JNI_6, "own thread", 0};
    word *env = NULL;
    while (!holds(&is_live)) usleep(PAUSE_MICROSECONDS);
    if (((int32_t(*)(word *, word **, void *))((word *)*vm)[ATTACH_AS_DAEMON])(vm, &env, &arguments)) return NULL;
    act();
    for (int round = 0;; round++) {
        put(&is_acting, 1);
        if (holds(&is_live)) act_once((word)environment, env, round);
        put(&is_acting, 0);
        usleep(value[BUSY][0] == LIVES_LIKE_A_PROGRAM ? PAUSE_MICROSECONDS : LONG_PAUSE_MICROSECONDS);
    }
    return NULL;
}

static int32_t start_own_thread(word env) {
    word callbacks[] = {(word)begin_to_live, (word)end_to_live};
    word set[10] = {env, (word)callbacks, sizeof callbacks};
    pthread_t thread;
    if (call(SET_EVENT_CALLBACKS, set, 0) != NONE) return -1;
    for (word event = FIRST_EVENT; event < FIRST_EVENT + 2; event++) {
        word enable[10] = {env, 1, event, 0};
        if (call(SET_EVENT_NOTIFICATION_MODE, enable, 0) != NONE) return -1;
    }
    return pthread_create(&thread, NULL, own_thread, (void *)env) || pthread_detach(thread) ? -1 : 0;
}
