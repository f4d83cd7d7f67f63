/* A JVM with a thread of its own that does in the live phase what Java programs do: it loads classes, throws exceptions, waits,
 * and starts threads. Included by broken.c. */
enum { LIVE = 4, ATTACH_AS_DAEMON = 7, JNI_6 = 0x00010006, PAUSE_MICROSECONDS = 3000 };
enum {
    EXCEPTION_CLEAR = 17, NEW_OBJECT_A = 30, CALL_VOID_METHOD_A = 63, CALL_STATIC_INT_METHOD_A = 131, NEW_STRING_UTF = 167,
    MONITOR_ENTER = 217, MONITOR_EXIT = 218
};

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

/* One deed after the other, each as a round. */
static void live(word *env, int round) {
    word *functions = (word *)*env;
    ((int32_t(*)(word *, int32_t))functions[19])(env, 16); /* PushLocalFrame */
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
    ((void (*)(word *))functions[EXCEPTION_CLEAR])(env);
    ((word(*)(word *, word))functions[20])(env, 0); /* PopLocalFrame */
}

static void *own_thread(void *environment) {
    struct { int32_t version; const char *name; word group; } arguments = {JNI_6, "own thread", 0};
    word *env = NULL;
    while (!phase_is((word)environment, LIVE)) usleep(PAUSE_MICROSECONDS);
    if (((int32_t(*)(word *, word **, void *))((word *)*vm)[ATTACH_AS_DAEMON])(vm, &env, &arguments)) return NULL;
    act();
    for (int round = 0;; round++) {
        live(env, round);
        usleep(PAUSE_MICROSECONDS);
    }
}

static int32_t start_own_thread(word env) {
    pthread_t thread;
    return pthread_create(&thread, NULL, own_thread, (void *)env) || pthread_detach(thread) ? -1 : 0;
}
