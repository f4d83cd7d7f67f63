//! Implementations of the native methods of `jvmticheck.scenarios.Wrapped`, which a VM finds by their names among the
//! symbols of agents, and one to be registered.

use std::ffi::c_void;

use jni_sys::{JNIEnv, jclass, jint};

/// What is registered: returns 1.
pub fn registered() -> *const c_void {
    extern "system" fn answer(_env: *mut JNIEnv, _class: jclass) -> jint {
        1
    }
    answer as *const c_void
}

/// `wrapped`, without a prefix: returns 2.
#[unsafe(no_mangle)]
extern "system" fn Java_jvmticheck_scenarios_Wrapped_wrapped(_env: *mut JNIEnv, _class: jclass) -> jint {
    2
}

/// `first_own`, which is found without taking `first_` off: returns 3.
#[unsafe(no_mangle)]
extern "system" fn Java_jvmticheck_scenarios_Wrapped_first_1own(_env: *mut JNIEnv, _class: jclass) -> jint {
    3
}

/// `own`, which `first_own` does not come to: returns 4.
#[unsafe(no_mangle)]
extern "system" fn Java_jvmticheck_scenarios_Wrapped_own(_env: *mut JNIEnv, _class: jclass) -> jint {
    4
}
