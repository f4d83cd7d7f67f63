//! jvmti-probe

pub mod ffi;
