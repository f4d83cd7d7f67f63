//! Functions that take the place of those of JNI: each tells its index in the table, its second to fourth argument and where the
//! call returns to, and then goes on in the function that it stands for, with all registers and the stack as they were.
//! So it does not matter what the function takes or returns.

use std::ffi::c_void;
use std::sync::OnceLock;

use crate::arch;

/// Receives the use of a JNI function: the `JNIEnv`, the function's index in the table, its first three arguments after the
/// `JNIEnv` (whatever is in their registers, if it has fewer), and where the call returns to. Gives the function that the stub
/// stands for.
pub type Handler = fn(*mut c_void, usize, [u64; 3], u64) -> *const c_void;

static HANDLER: OnceLock<Handler> = OnceLock::new();

/// Sets the function that handles the calls of all stubs. It has to be set before any stub is handed out; the first setting
/// stays.
pub fn install(handler: Handler) {
    let _ = HANDLER.set(handler);
}

/// Number of functions; more than the table of JNI functions of any version has.
pub const FUNCTIONS: usize = 256;

/// Whether this processor's stubs exist.
pub const SUPPORTED: bool = arch::INTERCEPTS;

arch::jni_stubs!(FUNCTIONS, told);

/// Where all stubs lead: `within` is an address in the stub.
extern "C" fn told(
    env: *mut c_void,
    within: u64,
    caller: u64,
    first_arg: u64,
    second_arg: u64,
    third_arg: u64,
) -> *const c_void {
    let index = (within as usize - first().addr()) / arch::JNI_STUB_STRIDE;
    match HANDLER.get() {
        Some(handler) => handler(env, index, [first_arg, second_arg, third_arg], caller),
        // No stub is handed out before: there is nothing that this one could stand for.
        None => std::process::abort(),
    }
}

fn first() -> *const c_void {
    let all: *const c_void = all as *const c_void;
    all.map_addr(|at| at.next_multiple_of(arch::JNI_STUB_STRIDE))
}

/// The stub of a place in the table.
pub fn stub(index: usize) -> *const c_void {
    first().wrapping_byte_add(index * arch::JNI_STUB_STRIDE)
}
