//! The native method of `jvmticheck.scenarios.AgentNatives`.

use jni_sys::{JNIEnv, jclass, jstring};

use crate::vm::jni::Jni;
use crate::vm::{image, native_method};

/// `static native String image()`: the file name of the library in which the JVM has found this.
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_AgentNatives_image(
    env: *mut JNIEnv,
    _class: jclass,
) -> jstring {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    let name = native_method::run(jni, |jni| jni.new_string(image::name()));
    name.flatten().map_or(std::ptr::null_mut(), |name| name.0)
}
