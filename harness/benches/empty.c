/* The least that an agent can do: its callbacks do no more than count. Implements the native methods of jvmticheck.Probe, so that it
   runs the same scenario as the probe. */

#include <jvmti.h>
#include <stdio.h>
#include <string.h>

static jvmtiEnv *jvmti;
/* How many of these events have come. */
static long long entered, freed;

static void JNICALL method_entry(jvmtiEnv *env, JNIEnv *jni, jthread thread, jmethodID method) {
    entered++;
}

static void JNICALL object_free(jvmtiEnv *env, jlong tag) {
    freed++;
}

static jint JNICALL tagged(jlong class_tag, jlong size, jlong *tag, jint length, void *data) {
    *tag = 7;
    return JVMTI_VISIT_OBJECTS;
}

static void tag_garbage(JNIEnv *jni) {
    jvmtiHeapCallbacks callbacks;
    jclass garbage = (*jni)->FindClass(jni, "jvmticheck/scenarios/DenseEvents$Garbage");
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.heap_iteration_callback = tagged;
    (*jvmti)->IterateThroughHeap(jvmti, 0, garbage, &callbacks, NULL);
}

JNIEXPORT void JNICALL Java_jvmticheck_Probe_checkpoint(JNIEnv *jni, jclass type, jstring name) {
    const char *text = (*jni)->GetStringUTFChars(jni, name, NULL);
    if (strcmp(text, "calls") == 0) {
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_METHOD_ENTRY, NULL);
    } else if (strcmp(text, "called") == 0) {
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_METHOD_ENTRY, NULL);
    } else if (strcmp(text, "allocated") == 0) {
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_ENABLE, JVMTI_EVENT_OBJECT_FREE, NULL);
        tag_garbage(jni);
    } else if (strcmp(text, "freed") == 0) {
        /* Events that have not been sent yet are sent now. */
        (*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_OBJECT_FREE, NULL);
    }
    (*jni)->ReleaseStringUTFChars(jni, name, text);
}

JNIEXPORT void JNICALL
Java_jvmticheck_Probe_fact__Ljava_lang_String_2J(JNIEnv *jni, jclass type, jstring key, jlong value) {
    const char *text = (*jni)->GetStringUTFChars(jni, key, NULL);
    printf("%s %lld\n", text, (long long) value);
    fflush(stdout);
    (*jni)->ReleaseStringUTFChars(jni, key, text);
}

JNIEXPORT void JNICALL
Java_jvmticheck_Probe_fact__Ljava_lang_String_2Ljava_lang_String_2(JNIEnv *jni, jclass type, jstring key, jstring value) {
}

JNIEXPORT void JNICALL Java_jvmticheck_Probe_bind(JNIEnv *jni, jclass type, jstring name, jobject object) {
}

JNIEXPORT void JNICALL Java_jvmticheck_Probe_turnBegin(JNIEnv *jni, jclass type, jint turn) {
}

JNIEXPORT void JNICALL Java_jvmticheck_Probe_turnEnd(JNIEnv *jni, jclass type, jint turn) {
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved) {
    jvmtiCapabilities capabilities;
    jvmtiEventCallbacks callbacks;
    if ((*vm)->GetEnv(vm, (void **) &jvmti, JVMTI_VERSION_1_2) != JNI_OK) {
        return 1;
    }
    memset(&capabilities, 0, sizeof capabilities);
    capabilities.can_generate_method_entry_events = 1;
    capabilities.can_generate_object_free_events = 1;
    capabilities.can_tag_objects = 1;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.MethodEntry = method_entry;
    callbacks.ObjectFree = object_free;
    (*jvmti)->AddCapabilities(jvmti, &capabilities);
    (*jvmti)->SetEventCallbacks(jvmti, &callbacks, sizeof callbacks);
    return 0;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm) {
    printf("entered %lld\nfreed %lld\n", entered, freed);
    fflush(stdout);
}
