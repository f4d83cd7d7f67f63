//! The native methods of `jvmticheck.Probe`, by which the Java side talks to the plan.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};

use jni_sys::{JNI_OK, JNIEnv, jboolean, jclass, jint, jlong, jobject, jstring};
use jvmti_wire::Value;
use jvmti_wire::trace::Body;
use rustix::process::{Signal, getpid, kill_process};

use crate::firing::{Firing, Moment};
use crate::identity;
use crate::image;
use crate::jni::{Jni, Ref};
use crate::names;
use crate::recorder::{record, trouble};
use crate::turns;

/// Native methods of `jvmticheck.scenarios.Natives` and `NativeCatches`, which the VM has to find in the agent's library by name.
mod found_by_name {
    use super::{JNIEnv, Ref, c_void, guarded, jboolean, jclass, jint, jlong, jobject};

    /// `static native boolean swallow(Runnable)`: runs it and clears what it throws. Whether it threw.
    #[unsafe(no_mangle)]
    pub extern "system" fn Java_jvmticheck_scenarios_NativeCatches_swallow(
        env: *mut JNIEnv,
        _class: jclass,
        thrower: jobject,
    ) -> jboolean {
        let mut threw = false;
        guarded(env, |jni| {
            let Some(class) = jni.object_class(Ref(thrower)) else { return };
            if let Some(run) = jni.method_id(class, c"run", c"()V", false) {
                jni.call(Ref(thrower), run);
                threw = jni.exception_pending();
            }
            jni.exception_clear();
        });
        threw
    }

    /// `static native int one()`
    #[unsafe(no_mangle)]
    pub extern "system" fn Java_jvmticheck_scenarios_Natives_one(_env: *mut JNIEnv, _class: jclass) -> jint {
        1
    }

    /// `static native int two()`
    #[unsafe(no_mangle)]
    pub extern "system" fn Java_jvmticheck_scenarios_Natives_two(_env: *mut JNIEnv, _class: jclass) -> jint {
        2
    }

    /// `static native int redirected()`: told apart from the others by what it returns.
    #[unsafe(no_mangle)]
    pub extern "system" fn Java_jvmticheck_scenarios_Natives_redirected(_: *mut JNIEnv, _: jclass) -> jint {
        3
    }

    /// `static native void registerOne()`: binds `registered`.
    #[unsafe(no_mangle)]
    pub extern "system" fn Java_jvmticheck_scenarios_Natives_registerOne(env: *mut JNIEnv, class: jclass) {
        register(env, class, Java_jvmticheck_scenarios_Natives_one as *const c_void);
    }

    /// `static native void registerTwo()`: binds `registered`.
    #[unsafe(no_mangle)]
    pub extern "system" fn Java_jvmticheck_scenarios_Natives_registerTwo(env: *mut JNIEnv, class: jclass) {
        register(env, class, Java_jvmticheck_scenarios_Natives_two as *const c_void);
    }

    /// `static native void unregister()`: unbinds all of them.
    #[unsafe(no_mangle)]
    pub extern "system" fn Java_jvmticheck_scenarios_Natives_unregister(env: *mut JNIEnv, class: jclass) {
        guarded(env, |jni| jni.unregister_natives(Ref(class)));
    }

    fn register(env: *mut JNIEnv, class: jclass, function: *const c_void) {
        guarded(env, |jni| {
            jni.register_natives(Ref(class), &[(c"registered", c"()I", function)]);
        });
    }

    /// `static native long addressOfOne()`
    #[unsafe(no_mangle)]
    pub extern "system" fn Java_jvmticheck_scenarios_Natives_addressOfOne(
        _env: *mut JNIEnv,
        _class: jclass,
    ) -> jlong {
        (Java_jvmticheck_scenarios_Natives_one as *const c_void).expose_provenance() as jlong
    }
}

/// Binds the native methods, if the program has the class.
pub fn register(jni: Jni) {
    let Some(class) = jni.find_class(c"jvmticheck/Probe") else {
        jni.exception_clear();
        trouble(
            "the class jvmticheck.Probe is not on the class path: the program runs without turns and checkpoints",
        );
        return;
    };
    let methods = [
        (c"checkpoint", c"(Ljava/lang/String;)V", checkpoint as *const c_void),
        (c"bind", c"(Ljava/lang/String;Ljava/lang/Object;)V", bind as *const c_void),
        (c"fact", c"(Ljava/lang/String;Ljava/lang/String;)V", fact_text as *const c_void),
        (c"fact", c"(Ljava/lang/String;J)V", fact_number as *const c_void),
        (c"requestDataDump", c"()Z", request_data_dump as *const c_void),
        (c"turnBegin", c"(I)V", turn_begin as *const c_void),
        (c"turnEnd", c"(I)V", turn_end as *const c_void),
    ];
    if jni.register_natives(class, &methods) != JNI_OK {
        jni.exception_clear();
        trouble("the native methods of jvmticheck.Probe could not be bound: it is of another version");
    }
    jni.delete_local(class);
}

/// Runs the body of a native method: no panic may reach the VM.
fn guarded(env: *mut JNIEnv, body: impl FnOnce(Jni)) {
    let Some(jni) = Jni::handed(env) else { return };
    if catch_unwind(AssertUnwindSafe(|| body(jni))).is_err() {
        trouble("the probe panicked in a native method");
    }
}

fn text(jni: Jni, string: jstring) -> String {
    jni.string(Ref(string)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

/// A native method that is nowhere registered: the VM has to find it in the libraries by this name. Tells in which.
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_AgentNatives_image(
    env: *mut JNIEnv,
    _class: jclass,
) -> jstring {
    let told = catch_unwind(|| Jni::handed(env)?.new_string(image::name()));
    told.ok().flatten().map_or(std::ptr::null_mut(), |text| text.0)
}

extern "system" fn checkpoint(env: *mut JNIEnv, _class: jclass, name: jstring) {
    guarded(env, |jni| {
        let name = text(jni, name);
        record(&Body::Checkpoint { name: name.clone() });
        Firing { moment: Moment::Checkpoint(&name), jni: Some(jni) }.fire();
    });
}

extern "system" fn bind(env: *mut JNIEnv, _class: jclass, name: jstring, object: jobject) {
    guarded(env, |jni| {
        let name = text(jni, name);
        let value = identity::object(Some(jni), Ref(object));
        record(&Body::Bind { name: name.clone(), value });
        names::bind(jni, name, Ref(object));
    });
}

extern "system" fn fact_text(env: *mut JNIEnv, _class: jclass, key: jstring, value: jstring) {
    guarded(env, |jni| {
        let value = jni.string(Ref(value)).map_or(Value::Null, Value::Str);
        record(&Body::Fact { key: text(jni, key), value });
    });
}

extern "system" fn fact_number(env: *mut JNIEnv, _class: jclass, key: jstring, value: jlong) {
    guarded(env, |jni| record(&Body::Fact { key: text(jni, key), value: Value::Int(value) }));
}

/// SIGQUIT is how a user asks a VM for a data dump. The probe sends it: no program outside is needed.
extern "system" fn request_data_dump(_env: *mut JNIEnv, _class: jclass) -> jboolean {
    kill_process(getpid(), Signal::QUIT).is_ok()
}

extern "system" fn turn_begin(env: *mut JNIEnv, _class: jclass, turn: jint) {
    guarded(env, |jni| turns::begin(jni, turn.unsigned_abs()));
}

extern "system" fn turn_end(env: *mut JNIEnv, _class: jclass, turn: jint) {
    guarded(env, |jni| turns::end(jni, turn.unsigned_abs()));
}
