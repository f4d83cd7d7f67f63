//! What depends on the processor, in one module for each that has the same items in all of them:
//!
//! * [`INTERCEPTS`]: whether the stubs exist, without which no foreign agent can be recorded;
//! * [`table_stub`], [`jni_stubs`]: the stubs themselves, see `ffi::stub` and `ffi::jni_stub`;
//! * [`native_stubs`], [`NATIVE_CALL`]: functions in the place of native methods, see `ffi::native_stub`;
//! * [`variadic`]: functions with a variable number of arguments, see `intercept::jni_results`;
//! * [`FUNCTION_RELOCATIONS`]: how the dynamic linker is told of functions in other libraries, see `os::linkage`;
//! * [`SIGNAL_RETURN`]: the code that signal handlers return to, see `os::images`;
//! * [`counter`]: the counter that time is read from, see `recording::clock`.
//!
//! A port to another processor, or to another calling convention of it, is one more of these modules. `other` has no stubs.

#[cfg_attr(all(target_arch = "x86_64", not(windows)), path = "x86_64.rs")]
#[cfg_attr(all(target_arch = "aarch64", not(windows)), path = "aarch64.rs")]
#[cfg_attr(any(windows, not(any(target_arch = "x86_64", target_arch = "aarch64"))), path = "other.rs")]
mod own;

pub(crate) use own::{
    FUNCTION_RELOCATIONS, INTERCEPTS, NATIVE_CALL, SIGNAL_RETURN, counter, jni_stubs, native_stubs,
    table_stub, variadic,
};

/// How a stub of [`native_stubs`] keeps what it has got, in bytes from the address that it tells.
pub(crate) struct NativeCall {
    /// In how many registers whole numbers and addresses are passed.
    pub(crate) integers: usize,
    /// In how many registers floating-point numbers are passed.
    pub(crate) vectors: usize,
    /// Where the former registers are.
    pub(crate) integers_at: usize,
    /// Where an address in the stub is.
    pub(crate) within_at: usize,
    /// Where the arguments are for which there are no registers.
    pub(crate) stack_at: usize,
}

/// In place of a number of words: the stub goes on in the function, and does not notice its end.
pub(crate) const PASSED_ON: u64 = u64::MAX;

/// Bytes from one stub of [`jni_stubs`] or [`native_stubs`] to the next; the first one begins at a multiple of it.
pub(crate) const JNI_STUB_STRIDE: usize = 16;
