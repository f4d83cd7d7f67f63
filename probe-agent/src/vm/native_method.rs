//! The edge of native methods: no panic may reach the JVM.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::jni::Jni;
use crate::recording::trouble;

/// Runs the body of a native method. `None`: there is no JNI environment, or the body panicked.
pub fn run<T>(jni: Option<Jni>, body: impl FnOnce(Jni) -> T) -> Option<T> {
    let jni = jni?;
    let result = catch_unwind(AssertUnwindSafe(|| body(jni)));
    if result.is_err() {
        trouble("the probe panicked in a native method");
    }
    result.ok()
}
