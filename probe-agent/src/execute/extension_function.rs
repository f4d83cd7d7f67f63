//! Functions that are not in the table: those that `GetExtensionFunctions` describes.

use std::ffi::c_void;

use jni_sys::jint;

use crate::ffi::{Env, RawArg};
use crate::marshal::Reason;

/// `jvmtiExtensionFunction`
type Function = unsafe extern "C" fn(*mut c_void, ...) -> jint;

/// Room for whatever a single output may be.
type Storage = [u64; 16];

/// Calls the function of that address, which the plan says has an output for its only parameter after the environment.
///
/// # Safety
/// The JVM has to have given the environment, and the address as that of such a function, if it is not 0.
pub unsafe fn call(env: Env, function: RawArg) -> Result<jint, Reason> {
    let function: *mut c_void = function.pointer();
    if function.is_null() {
        return Err(Reason::new("the function's address is null"));
    }
    let mut storage = Storage::default();
    // SAFETY: the VM gave out the address as that of a function of this type.
    let function = unsafe { std::mem::transmute::<*mut c_void, Function>(function) };
    // SAFETY: the environment is live, and the storage has room for the output.
    Ok(unsafe { function(env.0, (&raw mut storage).cast::<c_void>()) })
}
