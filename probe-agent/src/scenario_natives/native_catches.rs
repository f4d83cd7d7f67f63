//! The native method of `jvmticheck.scenarios.NativeCatches`.

use jni_sys::{JNIEnv, jboolean, jclass, jobject};

use crate::vm::jni::{Jni, Ref};
use crate::vm::native_method;

/// `static native boolean swallow(Runnable)`: runs it and clears what it throws. Returns whether it threw.
#[unsafe(no_mangle)]
pub extern "system" fn Java_jvmticheck_scenarios_NativeCatches_swallow(
    env: *mut JNIEnv,
    _class: jclass,
    thrower: jobject,
) -> jboolean {
    // SAFETY: the JVM passes the environment of this thread.
    let jni = unsafe { Jni::handed(env) };
    let threw = native_method::run(jni, |jni| {
        let class = jni.object_class(Ref(thrower))?;
        let run = jni.method_id(class, c"run", c"()V", false);
        let threw = run.is_some_and(|run| {
            jni.call(Ref(thrower), run);
            jni.exception_pending()
        });
        jni.exception_clear();
        Some(threw)
    });
    threw.flatten().unwrap_or(false)
}
