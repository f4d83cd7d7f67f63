//! The native methods of `jvmticheck.scenarios.Natives`: told apart by what they return.

use std::ffi::c_void;

use jni_sys::{JNIEnv, jclass, jint, jlong};

use crate::vm::jni::{Jni, Ref};
use crate::vm::native_method;

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

/// `static native int redirected()`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_Natives_redirected(_: *mut JNIEnv, _: jclass) -> jint {
    3
}

/// `static native void registerOne()`: binds `registered` to [`one`](Java_jvmticheck_scenarios_Natives_one).
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_Natives_registerOne(env: *mut JNIEnv, class: jclass) {
    register(env, class, Java_jvmticheck_scenarios_Natives_one as *const c_void);
}

/// `static native void registerTwo()`: binds `registered` to [`two`](Java_jvmticheck_scenarios_Natives_two).
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_Natives_registerTwo(env: *mut JNIEnv, class: jclass) {
    register(env, class, Java_jvmticheck_scenarios_Natives_two as *const c_void);
}

/// `static native void unregister()`: unbinds all of them.
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_Natives_unregister(env: *mut JNIEnv, class: jclass) {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| jni.unregister_natives(Ref(class)));
}

fn register(env: *mut JNIEnv, class: jclass, function: *const c_void) {
    // SAFETY: the JVM has passed the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    native_method::run(jni, |jni| jni.register_natives(Ref(class), &[(c"registered", c"()I", function)]));
}

/// `static native long addressOfOne()`
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_Natives_addressOfOne(
    _env: *mut JNIEnv,
    _class: jclass,
) -> jlong {
    (Java_jvmticheck_scenarios_Natives_one as *const c_void).expose_provenance() as jlong
}
