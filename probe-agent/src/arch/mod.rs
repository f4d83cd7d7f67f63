//! What depends on the processor, in one module for each that has the same items in all of them:
//!
//! * [`INTERCEPTS`]: whether the stubs exist, without which no foreign agent can be recorded;
//! * [`table_stub`], [`jni_stubs`]: the stubs themselves, see `ffi::stub` and `ffi::jni_stub`;
//! * [`FUNCTION_RELOCATIONS`]: how the dynamic linker is told of functions in other libraries, see `ffi::linkage`;
//! * [`counter`]: the counter that time is read from, see `recording::clock`.
//!
//! A port to another processor is one more of these modules. The operating system is always Linux.

#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), path = "other.rs")]
mod own;

pub(crate) use own::{FUNCTION_RELOCATIONS, INTERCEPTS, counter, jni_stubs, table_stub};

/// Bytes from one stub of [`jni_stubs`] to the next; the first one begins at a multiple of it.
pub(crate) const JNI_STUB_STRIDE: usize = 16;
