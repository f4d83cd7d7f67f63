/* The conditions under which broken.c, which includes this, breaks a rule. Nothing here is seen by the agent: the functions
 * that are asked are the JVM's own. */
enum {
    GET_THREAD_STATE = 17, GET_CURRENT_THREAD = 18, GET_FRAME_LOCATION = 19, GET_CLASS_SIGNATURE = 48, IS_INTERFACE = 55, IS_ARRAY_CLASS = 56,
    GET_CLASS_LOADER = 57, GET_FIELD_MODIFIERS = 62, GET_METHOD_MODIFIERS = 66, GET_CAPABILITIES = 89, IS_METHOD_OBSOLETE = 91, GET_PHASE = 133
};
enum jni_function {
    GET_VERSION = 4, FIND_CLASS = 6, DELETE_LOCAL_REF = 23, IS_SAME_OBJECT = 24, GET_OBJECT_CLASS = 31, IS_INSTANCE_OF = 32,
    GET_METHOD_ID = 33, CALL_BOOLEAN_METHOD_A = 39, IS_VIRTUAL_THREAD = 234
};
/* Kinds of classes, and of objects by their class. */
enum kind { ARRAY, INTERFACE, PRIMITIVE, OF_BOOT_LOADER, OF_OTHER_LOADER, STRING, CLASS_OBJECT, THREAD_OBJECT };
enum { SUSPENDED = 0x100000, JNI_6 = 0x00010006, JNI_21 = 0x00150000, JVMTI_1 = 0x30010000 };

static int possesses(word env, int64_t bit) {
    unsigned char capabilities[16] = {0};
    word a[10] = {env, (word)capabilities};
    call(GET_CAPABILITIES, a, 0);
    return capabilities[bit / 8] >> bit % 8 & 1;
}

static int phase_is(word env, int64_t wanted) {
    int32_t phase = 0;
    word a[10] = {env, (word)&phase};
    call(GET_PHASE, a, 0);
    return phase == wanted;
}

static int bit_at(word address, int64_t bit) {
    return address && ((unsigned char *)address)[bit / 8] >> bit % 8 & 1;
}

/* An environment of that version, or null: a new one of the JVM TI, or that of this thread. */
static word *get_env(int32_t version) {
    word env = 0;
    ((int32_t(*)(word *, word *, int32_t))((word *)*vm)[6])(vm, &env, version);
    return (word *)env;
}

static word *jni(void) { return get_env(JNI_6); }

static word ask_jni(int function, word a, word b) {
    word *env = jni();
    return env ? ((word(*)(word *, word, word))((word *)*env)[function])(env, a, b) : 0;
}

/* Whether that is a thread whose state has all of these bits and none of those. */
static int has_state(word env, word thread, int64_t set, int64_t clear) {
    int32_t state = 0;
    word a[10] = {env, thread, (word)&state};
    return thread && call(GET_THREAD_STATE, a, 0) == NONE && (state & set) == set && !(state & clear);
}

static int is_virtual(word env, word thread) {
    if ((int32_t)ask_jni(GET_VERSION, 0, 0) < JNI_21) return 0;
    return has_state(env, thread, 0, 0) && (unsigned char)ask_jni(IS_VIRTUAL_THREAD, thread, 0);
}

static word caller(word env) {
    word thread = 0;
    word a[10] = {env, (word)&thread};
    return call(GET_CURRENT_THREAD, a, 0) == NONE ? thread : 0;
}

static int is_own(word env, word thread) {
    word self = caller(env);
    int same = thread && self && (unsigned char)ask_jni(IS_SAME_OBJECT, thread, self);
    if (self) ask_jni(DELETE_LOCAL_REF, self, 0);
    return same;
}

static int caller_is_virtual(word env) {
    word self = caller(env);
    int is = is_virtual(env, self);
    if (self) ask_jni(DELETE_LOCAL_REF, self, 0);
    return is;
}

/* Whether one of the functions that tell whether a class or method is something tells that. */
static int is(int slot, word env, word what) {
    unsigned char answer = 0;
    word a[10] = {env, what, (word)&answer};
    return call(slot, a, 0) == NONE && answer;
}

static int has_signature(word env, word class, const char *text, size_t length) {
    char *signature = NULL;
    word a[10] = {env, class, (word)&signature, 0};
    if (call(GET_CLASS_SIGNATURE, a, 0) != NONE || !signature) return 0;
    int same = text ? !strcmp(signature, text) : strlen(signature) == length;
    word memory[10] = {env, (word)signature};
    call(DEALLOCATE, memory, 0);
    return same;
}

static int has_loader(word env, word class, int boot) {
    word loader = 0;
    word a[10] = {env, class, (word)&loader};
    if (call(GET_CLASS_LOADER, a, 0) != NONE) return 0;
    int is_boot = !loader;
    if (loader) ask_jni(DELETE_LOCAL_REF, loader, 0);
    return is_boot == boot;
}

static int is_class_of(word env, word class, int64_t kind) {
    if (!class) return 0;
    switch ((enum kind)kind) {
    case ARRAY: return is(IS_ARRAY_CLASS, env, class);
    case INTERFACE: return is(IS_INTERFACE, env, class);
    case PRIMITIVE: return has_signature(env, class, NULL, 1);
    case OF_BOOT_LOADER: return has_loader(env, class, 1);
    case OF_OTHER_LOADER: return has_loader(env, class, 0);
    case STRING: return has_signature(env, class, "Ljava/lang/String;", 0);
    case CLASS_OBJECT: return has_signature(env, class, "Ljava/lang/Class;", 0);
    case THREAD_OBJECT: return has_signature(env, class, "Ljava/lang/Thread;", 0);
    }
    return 0;
}

static int is_object_of(word env, word object, int64_t kind) {
    word class = object ? ask_jni(GET_OBJECT_CLASS, object, 0) : 0;
    int is = is_class_of(env, class, kind);
    if (class) ask_jni(DELETE_LOCAL_REF, class, 0);
    return is;
}

static int match(int32_t modifiers, int64_t set, int64_t clear) { return (!set || (modifiers & set)) && !(modifiers & clear); }

static int is_method_of(word env, word method, int64_t set, int64_t clear) {
    int32_t modifiers = 0;
    word a[10] = {env, method, (word)&modifiers};
    return method && call(GET_METHOD_MODIFIERS, a, 0) == NONE && match(modifiers, set, clear);
}

static int is_field_of(word env, word class, word field, int64_t set, int64_t clear) {
    int32_t modifiers = 0;
    word a[10] = {env, class, field, (word)&modifiers};
    return class && field && call(GET_FIELD_MODIFIERS, a, 0) == NONE && match(modifiers, set, clear);
}

static int is_later(word env, int64_t calls) {
    return __atomic_fetch_add(&environments[environment_of(env)].calls, 1, __ATOMIC_SEQ_CST) >= calls;
}

/* Whether all elements of that array begin with a class. */
static int are_classes(word env, int32_t count, word list, int64_t size) {
    for (int32_t i = 0; list && i < count; i++) {
        unsigned char is_array;
        word a[10] = {env, *(word *)(list + (word)i * (word)size), (word)&is_array};
        if (!a[1] || call(IS_ARRAY_CLASS, a, 0) != NONE) return 0;
    }
    return list && count > 0;
}

static word find_class(word *env, const char *name) {
    return ((word(*)(word *, const char *))((word *)*env)[FIND_CLASS])(env, name);
}

static word method_of(word *env, int function, word class, const char *name, const char *descriptor) {
    return class ? ((word(*)(word *, word, const char *, const char *))((word *)*env)[function])(env, class, name, descriptor) : 0;
}

/* Whether that is a module that has a name. */
static int has_name(word module) {
    word *env = module ? jni() : NULL;
    if (!env) return 0;
    word class = find_class(env, "java/lang/Module");
    int is = class && (unsigned char)ask_jni(IS_INSTANCE_OF, module, class);
    word method = is ? method_of(env, GET_METHOD_ID, class, "isNamed", "()Z") : 0;
    is = method && ((unsigned char(*)(word *, word, word, word))((word *)*env)[CALL_BOOLEAN_METHOD_A])(env, module, method, 0);
    if (class) ask_jni(DELETE_LOCAL_REF, class, 0);
    return is;
}

static int is_possessed_elsewhere(word env, int64_t bit) {
    int count = environment_count;
    for (int i = 0; i < count; i++) {
        word other = environments[i].env;
        if (other && other != env && possesses(other, bit)) return 1;
    }
    return 0;
}

static int has_still_frame(word env, word thread, word depth) {
    word method = 0;
    int64_t location = 0;
    word frame_of[10] = {env, thread, depth, (word)&method, (word)&location};
    if (thread && !has_state(env, thread, SUSPENDED, 0)) return 0;
    return call(GET_FRAME_LOCATION, frame_of, 0) == NONE;
}

static int conditions_hold(word *a) {
    return !((given[NULL_] && a[value[NULL_][0]]) || (given[GIVEN] && !a[value[GIVEN][0]]) ||
             (given[IS] && (int32_t)a[value[IS][0]] != value[IS][1]) ||
             (given[ALSO] && (int32_t)a[value[ALSO][0]] != value[ALSO][1]) ||
             (given[ISNT] && (int32_t)a[value[ISNT][0]] == value[ISNT][1]) ||
             (given[ASKED] && !bit_at(a[value[ASKED][0]], value[ASKED][1])) ||
             (given[INSIDE] && !inside && !__atomic_load_n(&walks, __ATOMIC_SEQ_CST)) ||
             (given[PHASE] && !phase_is(a[0], value[PHASE][0])) ||
             (given[HAS] && !possesses(a[0], value[HAS][0])) || (given[LACKS] && possesses(a[0], value[LACKS][0])) ||
             (given[OVER] && (int32_t)a[value[OVER][0]] <= value[OVER][1]) ||
             (given[VTHREAD] && !is_virtual(a[0], a[value[VTHREAD][0]])) ||
             (given[PLATFORM] && (!has_state(a[0], a[value[PLATFORM][0]], 0, 0) || is_virtual(a[0], a[value[PLATFORM][0]]))) ||
             (given[OWN] && !is_own(a[0], a[value[OWN][0]])) || (given[CALLER] && !caller_is_virtual(a[0])) ||
             (given[STATE] && !has_state(a[0], a[value[STATE][0]], value[STATE][1], value[STATE][2])) ||
             (given[CLASS] && !is_class_of(a[0], a[value[CLASS][0]], value[CLASS][1])) ||
             (given[OBJECT] && !is_object_of(a[0], a[value[OBJECT][0]], value[OBJECT][1])) ||
             (given[METHOD] && !is_method_of(a[0], a[value[METHOD][0]], value[METHOD][1], value[METHOD][2])) ||
             (given[OBSOLETE] && !is(IS_METHOD_OBSOLETE, a[0], a[value[OBSOLETE][0]])) ||
             (given[FIELD] && !is_field_of(a[0], a[value[FIELD][0] - 1], a[value[FIELD][0]], value[FIELD][1], value[FIELD][2])) ||
             (given[FRAME] && !has_still_frame(a[0], a[value[FRAME][0]], value[FRAME][1] ? a[value[FRAME][1]] : 0)) ||
             (given[CLASSES] && !are_classes(a[0], (int32_t)a[value[CLASSES][0]], a[value[CLASSES][1]], value[CLASSES][2])) ||
             (given[NAMED] && !has_name(a[value[NAMED][0]])) ||
             (given[ELSEWHERE] && !is_possessed_elsewhere(a[0], value[ELSEWHERE][0])) ||
             (given[LATER] && !is_later(a[0], value[LATER][0])));
}
