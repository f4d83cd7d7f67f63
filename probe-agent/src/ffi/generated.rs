//! What the build script wrote: signatures, trampolines, descriptions, constants.

// C has its own conventions for the names of types and functions.
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

use std::ffi::{c_char, c_void};

#[allow(unused_imports, reason = "which of them occur is for the specification to say")]
use jni_sys::{jchar, jdouble, jfloat, jint, jlong, jvalue};

use super::describe::*;
use super::raw::{jboolean, signature};
use super::stub::stub;
use super::trampoline::{callback_trampoline, event_forward, event_trampoline};

type Pointer = *mut c_void;

include!(concat!(env!("OUT_DIR"), "/jvmti.rs"));
