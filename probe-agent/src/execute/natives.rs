//! The native methods of `jvmticheck.Probe`, by which scenarios tell the probe where they are.

use std::ffi::c_void;

use jni_sys::{JNI_OK, JNIEnv, jboolean, jclass, jint, jlong, jobject, jstring};
use jvmti_wire::Value;
use jvmti_wire::trace::Body;

use crate::execute::bindings;
use crate::execute::cases;
use crate::execute::compiled;
use crate::execute::occurrence::{Firing, Occurrence};
use crate::execute::scenario_runs;
use crate::os::process;
use crate::recording::{record, trouble};
use crate::vm::identity;
use crate::vm::jni::{Jni, Ref};
use crate::vm::native_method;
use crate::vm::probe_environment;

/// Binds the native methods, if the program has the class.
pub fn register(jni: Jni) {
    let Some(class) = jni.find_class(c"jvmticheck/Probe") else {
        jni.exception_clear();
        trouble(
            "the class jvmticheck.Probe is not on the class path: the program runs without scenarios and checkpoints",
        );
        return;
    };
    let methods = [
        (c"checkpoint", c"(Ljava/lang/String;)V", checkpoint as *const c_void),
        (c"bind", c"(Ljava/lang/String;Ljava/lang/Object;)V", bind as *const c_void),
        (c"fact", c"(Ljava/lang/String;Ljava/lang/String;)V", fact_text as *const c_void),
        (c"fact", c"(Ljava/lang/String;J)V", fact_number as *const c_void),
        (c"fact", c"(Ljava/lang/String;[B)V", fact_bytes as *const c_void),
        (c"isUsed", c"(Ljava/lang/String;)Z", is_used as *const c_void),
        (c"loadedClasses", c"()[Ljava/lang/Class;", loaded_classes as *const c_void),
        (c"hasCompiled", c"()Z", has_compiled as *const c_void),
        (c"isCompiled", c"(Ljava/lang/Class;Ljava/lang/String;)Z", is_compiled as *const c_void),
        (c"requestDataDump", c"()Z", request_data_dump as *const c_void),
        (c"runBegin", c"(I)V", scenario_begin as *const c_void),
        (c"runEnd", c"(I)V", scenario_end as *const c_void),
    ];
    if jni.register_natives(class, &methods) != JNI_OK {
        jni.exception_clear();
        trouble("the native methods of jvmticheck.Probe could not be bound: it is of another version");
    }
    jni.delete_local(class);
}

fn text(jni: Jni, string: jstring) -> String {
    jni.string(Ref(string)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

extern "system" fn checkpoint(env: *mut JNIEnv, _class: jclass, name: jstring) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| {
        let name = text(jni, name);
        record(&Body::Checkpoint { name: name.clone() });
        Firing { occurrence: Occurrence::Checkpoint(&name), jni: Some(jni) }.fire();
    });
}

extern "system" fn bind(env: *mut JNIEnv, _class: jclass, name: jstring, object: jobject) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| {
        let name = text(jni, name);
        let value = identity::object(Some(jni), Ref(object));
        record(&Body::Bind { name: name.clone(), value });
        bindings::bind(jni, name, Ref(object));
    });
}

extern "system" fn fact_text(env: *mut JNIEnv, _class: jclass, key: jstring, value: jstring) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| {
        let value = jni.string(Ref(value)).map_or(Value::Null, Value::Str);
        record(&Body::Fact { key: text(jni, key), value });
    });
}

extern "system" fn fact_number(env: *mut JNIEnv, _class: jclass, key: jstring, value: jlong) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| record(&Body::Fact { key: text(jni, key), value: Value::Int(value) }));
}

extern "system" fn fact_bytes(env: *mut JNIEnv, _class: jclass, key: jstring, value: jobject) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| {
        record(&Body::Fact { key: text(jni, key), value: Value::Bytes(jni.bytes(Ref(value))) });
    });
}

extern "system" fn is_used(env: *mut JNIEnv, _class: jclass, name: jstring) -> jboolean {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| {
        let name = text(jni, name);
        let of_run = cases::get().and_then(|cases| Some(cases.of_run(cases.run()?)));
        of_run.is_none_or(|mut cases| cases.any(|case| case.plan.uses(&name)))
    })
    .unwrap_or(true)
}

extern "system" fn loaded_classes(env: *mut JNIEnv, _class: jclass) -> jobject {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    let mut array = Ref::NULL;
    native_method::run(jni, |jni| {
        let classes = probe_environment::get().map(|own| own.loaded_classes()).unwrap_or_default();
        if let Some(class_class) = jni.find_class(c"java/lang/Class") {
            array = jni.array_of(class_class, &classes);
        }
        classes.into_iter().for_each(|class| jni.delete_local(class));
    });
    array.0
}

extern "system" fn is_compiled(env: *mut JNIEnv, _class: jclass, class: jclass, name: jstring) -> jboolean {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    let answer = native_method::run(jni, |jni| {
        let method = probe_environment::get()?.method_named(Ref(class), &text(jni, name))?;
        Some(compiled::is_compiled(method))
    });
    answer.flatten().unwrap_or(false)
}

extern "system" fn has_compiled(env: *mut JNIEnv, _class: jclass) -> jboolean {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |_| compiled::has_compiled()).unwrap_or(false)
}

extern "system" fn request_data_dump(_env: *mut JNIEnv, _class: jclass) -> jboolean {
    process::request_data_dump()
}

extern "system" fn scenario_begin(env: *mut JNIEnv, _class: jclass, run: jint) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| scenario_runs::begin(jni, run.unsigned_abs()));
}

extern "system" fn scenario_end(env: *mut JNIEnv, _class: jclass, run: jint) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| scenario_runs::end(jni, run.unsigned_abs()));
}
