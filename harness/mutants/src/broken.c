/* Breaks one rule of the JVM TI in the JVM that loads it. The option says which, as `key=value` pairs with `;` between
 * them. No header of a JDK is needed: places in tables come with the option, and arguments are passed on as words, which
 * holds where integers and pointers are passed in registers and then on the stack of 8-byte words (x86-64, AArch64).
 *
 *   function=SLOT       the entry of the function table that is replaced
 *   event=INDEX         the callback that is replaced
 * Conditions, all of which must hold for the rule to be broken:
 *   phase=N             the phase of the call
 *   null=I  given=I     argument I (the environment is 0) is null, is not
 *   is=I:V  isnt=I:V    argument I, an int, is V, is not
 *   also=I:V            as is, for another argument
 *   asked=I:BIT         this bit is set where argument I points to
 *   has=BIT lacks=BIT   the environment possesses that capability, does not
 *   inside=1            the call comes from a callback in which few functions may be called
 *   frame=I:J           the frame whose depth is argument J (J is 0: the uppermost) exists, of the thread argument I, which is
 *                       suspended or null
 *   vthread=I platform=I   argument I is a virtual thread, a platform thread
 *   own=I               argument I is the calling thread
 *   caller=1            the calling thread is a virtual thread
 *   state=I:SET:CLEAR   the state of the thread argument I has all bits of SET and none of CLEAR
 *   class=I:KIND        the class argument I is of that kind (conditions.c)
 *   method=I:SET:CLEAR  the modifiers of the method argument I have some bit of SET (0: any) and none of CLEAR
 *   obsolete=I          the method argument I is obsolete
 *   field=I:SET:CLEAR   the same of the field argument I, whose class is the argument before it
 *   object=I:KIND       the object argument I is of that kind (conditions.c)
 *   over=I:V            argument I, an int, is greater than V
 *   classes=I:J:SIZE    argument J has as many elements as argument I says, of SIZE bytes each, all of which begin with a class
 *   named=I             argument I is a module with a name
 *   elsewhere=BIT       another environment possesses that capability
 *   later=N             as many calls before this one met the other conditions in this environment
 *   error=N             the function answers N
 * What is done instead:
 *   answer=N            N is answered
 *   instead=1           the function is not called, and leaves everything as it is
 *   set=I:V             argument I is V
 *   unbit=I:BIT:SIZE    argument I points to a copy of its SIZE bytes in which the bit is not set
 *   place=I:DEREFS:OFF  where something is changed after a call that answers NONE: what argument I points to, followed
 *                       DEREFS times, and OFF bytes further
 *   count=I             nothing is done unless the int that argument I points to is greater than 0 …
 *   several=1           … or than 1
 *   last=SIZE           what is changed is not the first of so many elements of SIZE bytes, but the last
 *   add=SIZE:N flip=SIZE zero=SIZE or=BITS clear=BITS   what is done to the number or pointer there
 *   bit=N unset=N       the bit N, counted from there, is set, is not set
 *   unnull=1            a null is turned into memory
 *   unref=1             a null is turned into a reference
 *   global=1            a local reference is turned into a global one
 *   reverse=SIZE        the array there is turned around
 *   alien=1             Deallocate refuses what stands there
 *   drop=1 twice=1      an event is not sent, is sent twice
 *   nothing=I more=I    a parameter of an event is null, is greater by one
 *   strangers=1         an event is sent to environments as well that have not enabled it
 *   early=1             an event is sent once when it is enabled in that phase, without parameters
 *   busy=N              a thread of the JVM's own does something again and again (own_thread.c)
 *   launch=BIT          the oldest frame of each stack is one of a native method of the JVM's own, in environments that do not possess
 *                       that capability (own_frame.c)
 *   rest=1              threads wait, sleep and are parked in native code (own_state.c); 2: the JVM does not know why they wait
 *   company=1           another agent possesses most capabilities and has enabled most events (own_company.c)
 *   pace=N              one call of N takes long, whatever the function (own_pace.c)
 * And, last of all:
 *   mark=FILE           this file is made as soon as anything has been other than it would have been
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef uintptr_t word;
typedef word **environment;
typedef int32_t (*function)(word, word, word, word, word, word, word, word, word, word, double);
typedef void (*callback)(word, word, word, word, word, word, word, word, word, word);

enum {
    SET_EVENT_NOTIFICATION_MODE = 2, DEALLOCATE = 47, SET_EVENT_CALLBACKS = 122, DISPOSE_ENVIRONMENT = 127, ADD_CAPABILITIES = 142
};
/* The functions that call heap callbacks. */
static const int HEAP_WALKS[] = {109, 110, 111, 112, 115, 116};
enum { FIRST_EVENT = 50, INTERNAL = 113, NONE = 0, ENVIRONMENTS = 4096, ALIENS = 65536, CALLBACKS = 64 };

enum key {
    FUNCTION, EVENT, PHASE, NULL_, GIVEN, IS, ALSO, ISNT, ASKED, HAS, LACKS, INSIDE, FRAME, VTHREAD, PLATFORM, OWN, CALLER, STATE,
    CLASS, METHOD, OBSOLETE, FIELD, OBJECT, OVER, CLASSES, NAMED, ELSEWHERE, LATER, ERROR, ANSWER, INSTEAD, SET, UNBIT, PLACE, COUNT, SEVERAL, LAST, ADD, FLIP, ZERO, OR, CLEAR, BIT, UNSET, UNNULL, UNREF, GLOBAL, REVERSE, ALIEN, DROP, TWICE, NOTHING,
    MORE, STRANGERS, EARLY, BUSY, LAUNCH, REST, COMPANY, PACE, KEYS
};
static const char *const NAMES[KEYS] = {
    "function", "event", "phase", "null", "given", "is", "also", "isnt", "asked", "has", "lacks", "inside", "frame", "vthread",
    "platform", "own", "caller", "state", "class", "method", "obsolete", "field", "object", "over", "classes", "named", "elsewhere", "later",
    "error", "answer", "instead", "set", "unbit", "place", "count", "several", "last", "add", "flip", "zero", "or", "clear", "bit", "unset", "unnull",
    "unref", "global", "reverse", "alien", "drop", "twice", "nothing", "more", "strangers", "early", "busy", "launch", "rest", "company", "pace"
};

/* The mutation. */
static int given[KEYS];
static int64_t value[KEYS][3];

static const char *mark;
static int acted;

static word real[512];
static word *table;
static word *vm;
/* Whether this thread is in a callback in which few functions may be called, and how many heap walks go on. */
static __thread int inside;
static int walks;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { word env; word callbacks[CALLBACKS]; int enabled; int calls; } environments[ENVIRONMENTS];
static int environment_count;
static word aliens[ALIENS];
static int alien_count;

static int read_options(char *options) {
    char *rest = options, *pair, *last = strstr(options, "mark=");
    if (last) {
        mark = last + strlen("mark=");
        *last = 0;
    }
    while ((pair = strtok_r(rest, ";", &rest))) {
        char *text = strchr(pair, '=');
        int key = 0;
        if (!text) return 0;
        *text++ = 0;
        while (key < KEYS && strcmp(NAMES[key], pair)) key++;
        if (key == KEYS) return 0;
        given[key] = 1;
        for (int i = 0; i < 3 && *text; i++) {
            value[key][i] = strtoll(text, &text, 0);
            if (*text == ':') text++;
        }
    }
    return 1;
}

static void act(void) {
    if (!__atomic_exchange_n(&acted, 1, __ATOMIC_SEQ_CST) && mark) close(open(mark, O_CREAT | O_WRONLY, 0600));
}

static int32_t call(int slot, word *a, double x) {
    return ((function)real[slot])(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], x);
}

static int environment_of(word env) {
    int i = 0;
    pthread_mutex_lock(&lock);
    while (i < environment_count && environments[i].env != env) i++;
    if (i == environment_count && i < ENVIRONMENTS - 1) environments[environment_count++].env = env;
    pthread_mutex_unlock(&lock);
    return i;
}

#include "conditions.c"

static word new_reference(void) {
    word *env = jni();
    if (!env) return 0;
    word *functions = (word *)*env;
    return ((word(*)(word *, const char *))functions[6])(env, "java/lang/Object"); /* FindClass */
}

static word global_of(word reference) {
    word *env = jni();
    if (!env || !reference) return reference;
    word *functions = (word *)*env;
    return ((word(*)(word *, word))functions[21])(env, reference); /* NewGlobalRef */
}

static void remember_alien(word pointer) {
    pthread_mutex_lock(&lock);
    if (alien_count < ALIENS) aliens[alien_count++] = pointer;
    pthread_mutex_unlock(&lock);
}

static void change(word *a) {
    word place = a[value[PLACE][0]];
    int64_t count = 0;
    if (given[COUNT]) {
        if (!a[value[COUNT][0]]) return;
        count = *(int32_t *)a[value[COUNT][0]];
        if (count <= (given[SEVERAL] || given[LAST])) return;
    }
    for (int64_t i = 0; place && i < value[PLACE][1]; i++) place = *(word *)place;
    if (!place) return;
    char *at = (char *)place + value[PLACE][2] + (given[LAST] ? (count - 1) * value[LAST][0] : 0);
    word *pointer = (word *)at;
    unsigned char before[16];
    size_t width = given[BIT] || given[UNSET] ? 16 : given[OR] || given[CLEAR] ? 4 : 1;
    memcpy(before, at, width);
    if (given[ADD] || given[FLIP] || given[REVERSE]) act();
    if ((given[ZERO] || given[GLOBAL] || given[ALIEN]) ? *pointer != 0 : (given[UNNULL] || given[UNREF]) && !*pointer) act();
    if (given[ADD]) {
        if (value[ADD][0] == 8) *(int64_t *)at += value[ADD][1];
        else if (value[ADD][0] == 4) *(int32_t *)at += (int32_t)value[ADD][1];
        else *at = (char)(*at + value[ADD][1]);
    }
    if (given[FLIP]) *at = !*at;
    if (given[ZERO]) memset(at, 0, (size_t)value[ZERO][0]);
    if (given[OR]) *(int32_t *)at |= (int32_t)value[OR][0];
    if (given[CLEAR]) *(int32_t *)at &= ~(int32_t)value[CLEAR][0];
    if (given[BIT]) at[value[BIT][0] / 8] |= (char)(1 << value[BIT][0] % 8);
    if (given[UNSET]) at[value[UNSET][0] / 8] &= (char)~(1 << value[UNSET][0] % 8);
    if (given[UNNULL] && !*pointer) *pointer = (word)strdup("mutant");
    if (given[UNREF] && !*pointer) *pointer = new_reference();
    if (given[GLOBAL]) *pointer = global_of(*pointer);
    if (given[ALIEN] && *pointer) remember_alien(*pointer);
    if (given[REVERSE]) {
        size_t size = (size_t)value[REVERSE][0];
        char held[256];
        for (int64_t i = 0; i < count / 2 && size <= sizeof held; i++) {
            char *one = at + (size_t)i * size, *other = at + (size_t)(count - 1 - i) * size;
            memcpy(held, one, size);
            memcpy(one, other, size);
            memcpy(other, held, size);
        }
    }
    if (memcmp(before, at, width)) act();
}

static int32_t broken(word e, word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9, double x) {
    word a[10] = {e, a1, a2, a3, a4, a5, a6, a7, a8, a9};
    int slot = (int)value[FUNCTION][0];
    char copy[4096];
    if (given[ELSEWHERE]) environment_of(e);
    if (!conditions_hold(a)) return call(slot, a, x);
    if (given[INSTEAD]) {
        act();
        return (int32_t)value[ANSWER][0];
    }
    if (given[SET]) {
        if (a[value[SET][0]] != (word)value[SET][1]) act();
        a[value[SET][0]] = (word)value[SET][1];
    }
    if (given[UNBIT] && a[value[UNBIT][0]]) {
        if (bit_at(a[value[UNBIT][0]], value[UNBIT][1])) act();
        memcpy(copy, (void *)a[value[UNBIT][0]], (size_t)value[UNBIT][2]);
        copy[value[UNBIT][1] / 8] &= (char)~(1 << value[UNBIT][1] % 8);
        a[value[UNBIT][0]] = (word)copy;
    }
    int32_t error = call(slot, a, x);
    if (given[ERROR] && error != value[ERROR][0]) return error;
    if (given[ANSWER]) {
        act();
        error = (int32_t)value[ANSWER][0];
    }
    if (given[PLACE] && error == NONE) change(a);
    return error;
}

static void send(int to, word *a) {
    callback known = (callback)environments[to].callbacks[value[EVENT][0]];
    if (known) known(environments[to].env, a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9]);
}

static void event(word e, word a1, word a2, word a3, word a4, word a5, word a6, word a7, word a8, word a9) {
    word a[10] = {e, a1, a2, a3, a4, a5, a6, a7, a8, a9};
    int to = environment_of(e);
    if (given[INSIDE]) {
        inside++;
        send(to, a);
        inside--;
        return;
    }
    if (!conditions_hold(a)) {
        send(to, a);
        return;
    }
    if (given[DROP] || given[TWICE] || given[MORE] || (given[NOTHING] && a[value[NOTHING][0]])) act();
    if (given[DROP]) return;
    if (given[NOTHING]) a[value[NOTHING][0]] = 0;
    if (given[MORE]) a[value[MORE][0]]++;
    send(to, a);
    if (given[TWICE]) send(to, a);
    if (given[STRANGERS]) {
        for (int i = 0; i < environment_count; i++) {
            if (i == to || environments[i].enabled || !environments[i].callbacks[value[EVENT][0]]) continue;
            act();
            send(i, a);
        }
    }
}

static int32_t set_callbacks(word e, word callbacks, word size) {
    word copy[CALLBACKS] = {0};
    word a[10] = {e, (word)copy, size};
    int64_t index = value[EVENT][0];
    int to = environment_of(e);
    int32_t bytes = (int32_t)size;
    if (!callbacks || bytes < 0 || bytes > (int32_t)sizeof copy) {
        a[1] = callbacks;
        return call(SET_EVENT_CALLBACKS, a, 0);
    }
    memcpy(copy, (void *)callbacks, (size_t)bytes);
    environments[to].callbacks[index] = copy[index];
    if (copy[index]) copy[index] = (word)event;
    return call(SET_EVENT_CALLBACKS, a, 0);
}

static int32_t set_mode(word e, word mode, word event_type, word thread) {
    word a[10] = {e, mode, event_type, thread};
    int32_t error = call(SET_EVENT_NOTIFICATION_MODE, a, 0);
    if (error == NONE && (int32_t)event_type == value[EVENT][0] + FIRST_EVENT) {
        int to = environment_of(e);
        if ((int32_t)mode == 1) environments[to].enabled = 1;
        else if (!thread) environments[to].enabled = 0;
        if (given[EARLY] && (int32_t)mode == 1 && phase_is(e, value[PHASE][0])) {
            word none[10] = {e};
            act();
            send(to, none);
        }
    }
    return error;
}

static int32_t dispose(word e) {
    word a[10] = {e};
    int known = environment_of(e);
    if (given[EVENT]) environments[known].callbacks[value[EVENT][0]] = 0;
    if (given[ELSEWHERE]) environments[known].env = 0;
    return call(DISPOSE_ENVIRONMENT, a, 0);
}

/* Takes note of the environment. */
static int32_t add_capabilities(word e, word capabilities) {
    word a[10] = {e, capabilities};
    environment_of(e);
    return call(ADD_CAPABILITIES, a, 0);
}

static int32_t deallocate(word e, word memory) {
    word a[10] = {e, memory};
    int found = 0;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < alien_count && !found; i++) {
        if (aliens[i] != memory) continue;
        found = 1;
        aliens[i] = aliens[--alien_count];
    }
    pthread_mutex_unlock(&lock);
    return memory && found ? INTERNAL : call(DEALLOCATE, a, 0);
}

static int32_t walk(int slot, word *a, double x) {
    __atomic_add_fetch(&walks, 1, __ATOMIC_SEQ_CST);
    int32_t error = call(slot, a, x);
    __atomic_sub_fetch(&walks, 1, __ATOMIC_SEQ_CST);
    return error;
}

static void replace(int slot, void *by) { table[slot - 1] = (word)by; }

#include "each_slot.c"
#include "own_company.c"
#include "own_frame.c"
#include "own_pace.c"
#include "own_state.c"
#include "own_thread.c"

int32_t Agent_OnLoad(word *jvm, char *options, void *reserved) {
    (void)reserved;
    vm = jvm;
    if (!options || !*options || *options == ';') return 0;
    char *own = strdup(options);
    if (!own || !read_options(own)) {
        fprintf(stderr, "mutant: no such mutation: %s\n", options);
        return -1;
    }
    environment env = (environment)get_env(JVMTI_1);
    if (!env) return -1;
    table = *env;
    /* Later entries than the oldest JVMs have are read only where the mutation asks for them. */
    int entries = given[FUNCTION] && value[FUNCTION][0] > SLOTS ? (int)value[FUNCTION][0] : SLOTS;
    memcpy(real + 1, table, (size_t)entries * sizeof(word));
    word page = (word)sysconf(_SC_PAGESIZE), start = (word)table & ~(page - 1);
    word length = ((word)(table + entries) - start + page - 1) & ~(page - 1);
    if (mprotect((void *)start, length, PROT_READ | PROT_WRITE)) return -1;
    if (given[EVENT]) {
        replace(SET_EVENT_CALLBACKS, set_callbacks);
        replace(SET_EVENT_NOTIFICATION_MODE, set_mode);
        replace(DISPOSE_ENVIRONMENT, dispose);
    }
    if (given[INSIDE]) {
        for (size_t i = 0; i < sizeof HEAP_WALKS / sizeof *HEAP_WALKS; i++) replace_through(HEAP_WALKS[i], walk);
    }
    if (given[ALIEN]) replace(DEALLOCATE, deallocate);
    if (given[ELSEWHERE]) {
        replace(ADD_CAPABILITIES, add_capabilities);
        replace(DISPOSE_ENVIRONMENT, dispose);
    }
    if (given[FUNCTION]) replace((int)value[FUNCTION][0], broken);
    if (given[LAUNCH]) launch_from_own_frame();
    if (given[REST]) rest_in_native_code();
    if (given[PACE]) call_at_uneven_pace();
    if (given[COMPANY] && keep_company()) return -1;
    if (given[BUSY]) return start_own_thread((word)env);
    word a[10] = {(word)env};
    call(DISPOSE_ENVIRONMENT, a, 0); /* the table stays what it is */
    return 0;
}
