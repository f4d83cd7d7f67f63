//! Records the local references that JNI functions return to the native code of agents, and what else only the result or the
//! last argument of a JNI function tells.
//!
//! In place of such a function the probe calls one of its own, which calls the original. It passes four words on after the
//! `JNIEnv`, as many as any of these functions takes. For a function that takes a variable number of arguments, it calls the one
//! that takes them as a `va_list`; CallNonvirtualObjectMethod, which has four arguments before these, is left alone.

use std::cell::Cell;
use std::ffi::c_void;

use jni_sys::JNI_COMMIT;

use super::jni_kinds::PUSH_LOCAL_FRAME;
use super::jni_table;
use super::local_references::{self, judged_jni};
use crate::arch;
use crate::recording::guarded;

thread_local! {
    /// The index of the function in whose place one of these is called next on this thread, and where it returns to.
    static ENTERED: Cell<(usize, u64)> = const { Cell::new((0, 0)) };
}

type Function = unsafe extern "C" fn(*mut c_void, u64, u64, u64, u64) -> u64;

/// The functions, by their index in the JNI function table.
macro_rules! watched {
    ($($index:literal)*) => {
        const WATCHED: &[(usize, Function)] = &[$(($index, call::<$index>)),*];
    };
}

watched! {
    6 10 15 20 // FindClass, GetSuperclass, ExceptionOccurred, PopLocalFrame
    9 12 25 31 // ToReflectedMethod, ToReflectedField, NewLocalRef, GetObjectClass
    27 29 30 // AllocObject, NewObjectV, NewObjectA
    35 36 65 66 115 116 // Call…ObjectMethodV, Call…ObjectMethodA
    95 145 // GetObjectField, GetStaticObjectField
    163 167 // NewString, NewStringUTF
    172 173 175 176 177 178 179 180 181 182 // arrays and their elements
}

arch::variadic!(new_object, call::<29>);
arch::variadic!(call_object_method, call::<35>);
arch::variadic!(call_static_object_method, call::<115>);

/// The functions that take a variable number of arguments, by their index, with what the probe calls in their place.
const VARIADIC: [(usize, unsafe extern "C" fn()); 3] =
    [(28, new_object), (34, call_object_method), (114, call_static_object_method)];

/// PushLocalFrame, which may fail, the functions that get the contents of strings and arrays, and those that release the elements of
/// arrays, which may only copy them back.
const TOLD: [(usize, Function); 19] = [
    (PUSH_LOCAL_FRAME, push),
    (165, contents::<165>),
    (169, contents::<169>),
    (183, contents::<183>),
    (184, contents::<184>),
    (185, contents::<185>),
    (186, contents::<186>),
    (187, contents::<187>),
    (188, contents::<188>),
    (189, contents::<189>),
    (190, contents::<190>),
    (191, release::<191>),
    (192, release::<192>),
    (193, release::<193>),
    (194, release::<194>),
    (195, release::<195>),
    (196, release::<196>),
    (197, release::<197>),
    (198, release::<198>),
];

/// The probe's function in place of the one of that index.
pub fn in_place_of(index: usize) -> Option<*const c_void> {
    let variadic = VARIADIC.iter().find(|(watched, _)| *watched == index);
    let listed = || WATCHED.iter().chain(&TOLD).find(|(watched, _)| *watched == index);
    variadic
        .map(|(_, function)| *function as *const c_void)
        .or_else(|| listed().map(|(_, function)| *function as *const c_void))
}

/// This thread is about to call the probe's function in place of the one of that index.
pub fn entered(index: usize, caller: u64) {
    ENTERED.set((index, caller));
}

/// The JVM's function of that index.
fn original(env: *mut c_void, index: usize) -> Function {
    // SAFETY: all of these functions take at most five words, in the same registers, and return one or nothing.
    unsafe { std::mem::transmute::<*const c_void, Function>(jni_table::original(env, index)) }
}

/// In place of PushLocalFrame.
unsafe extern "C" fn push(env: *mut c_void, a: u64, b: u64, c: u64, d: u64) -> u64 {
    // SAFETY: the caller calls PushLocalFrame with these.
    let code = unsafe { original(env, PUSH_LOCAL_FRAME)(env, a, b, c, d) };
    if code as i32 == 0 {
        guarded(|| judged_jni::frame(true));
    }
    code
}

/// In place of a function that gets the contents of a string or an array.
unsafe extern "C" fn contents<const INDEX: usize>(env: *mut c_void, a: u64, b: u64, c: u64, d: u64) -> u64 {
    // SAFETY: the caller calls the function of that index with these.
    let at = unsafe { original(env, INDEX)(env, a, b, c, d) };
    if at != 0 {
        guarded(|| judged_jni::contents_given(INDEX, at));
    }
    at
}

/// In place of a function that releases the elements of an array.
unsafe extern "C" fn release<const INDEX: usize>(
    env: *mut c_void,
    array: u64,
    elements: u64,
    mode: u64,
    d: u64,
) -> u64 {
    if mode as i32 == JNI_COMMIT {
        guarded(judged_jni::committed);
    }
    // SAFETY: the caller calls the function of that index with these.
    unsafe { original(env, INDEX)(env, array, elements, mode, d) }
}

unsafe extern "C" fn call<const INDEX: usize>(env: *mut c_void, a: u64, b: u64, c: u64, d: u64) -> u64 {
    // The original may run Java code, in which others use JNI.
    let (index, caller) = ENTERED.get();
    // SAFETY: the caller calls the function of that index with these.
    let reference = unsafe { original(env, INDEX)(env, a, b, c, d) };
    if reference != 0 {
        guarded(|| local_references::given_by_jni(reference, index, caller));
    }
    reference
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_function_is_there_once() {
        let variadic = VARIADIC.iter().map(|(index, _)| *index);
        let listed = WATCHED.iter().chain(&TOLD).map(|(index, _)| *index);
        let mut indices: Vec<usize> = listed.chain(variadic).collect();
        indices.sort_unstable();
        indices.dedup();
        assert_eq!(indices.len(), WATCHED.len() + TOLD.len() + VARIADIC.len());
        assert!(in_place_of(31).is_some() && in_place_of(4).is_none());
    }
}
