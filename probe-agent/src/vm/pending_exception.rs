//! Sets an exception aside that is pending in a callback, and that the agent has to preserve.

use super::jni::Jni;

/// Runs JNI functions that must not meet a pending exception. One that is pending before is so again afterwards; if there is no result, one
/// that they throw is cleared.
pub fn without_exception<T>(jni: Jni, body: impl FnOnce() -> Option<T>) -> Option<T> {
    let pending = jni.exception();
    if pending.is_some() {
        jni.exception_clear();
    }
    let result = body();
    if result.is_none() {
        jni.exception_clear();
    }
    if let Some(pending) = pending {
        jni.throw(pending);
        jni.delete_local(pending);
    }
    result
}
