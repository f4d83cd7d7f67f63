//! JNI environments for tests: tables with the functions that a test gives.

use std::ffi::c_void;

use super::jni::Jni;

/// Indices in the table of JNI functions.
pub const DELETE_GLOBAL_REF: usize = 22;
pub const IS_SAME_OBJECT: usize = 24;
pub const IS_INSTANCE_OF: usize = 32;
pub const DELETE_WEAK_GLOBAL_REF: usize = 227;
pub const EXCEPTION_CHECK: usize = 228;

/// An environment with these functions; the others end the process.
pub fn with(functions: &[(usize, *const c_void)]) -> Jni {
    extern "C" fn unexpected() {
        eprintln!("a JNI function was called that the test does not give");
        std::process::abort();
    }
    let mut table = vec![unexpected as *const c_void; 256];
    for (index, function) in functions {
        table[*index] = *function;
    }
    let env = Box::leak(Box::new(Vec::leak(table).as_ptr()));
    // SAFETY: the table is as long as that of JNI, and is never freed.
    let jni = unsafe { Jni::handed(std::ptr::from_mut(env).cast()) };
    jni.expect("an environment")
}
