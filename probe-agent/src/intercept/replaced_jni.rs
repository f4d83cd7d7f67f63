//! The JNI functions that the probe replaces for all threads, by their index, and what was in their place.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// One of those functions that the probe calls: each takes the `JNIEnv` and one word.
pub type Function = unsafe extern "C" fn(*mut c_void, u64) -> u64;

/// Indices in the JNI function table.
pub const FIND_CLASS: usize = 6;
pub const FATAL_ERROR: usize = 18;
pub const NEW_GLOBAL_REF: usize = 21;
pub const DELETE_GLOBAL_REF: usize = 22;
pub const GET_OBJECT_CLASS: usize = 31;
pub const GET_METHOD_ID: usize = 33;
pub const CALL_OBJECT_METHOD: usize = 34;
pub const CALL_OBJECT_METHOD_V: usize = 35;
pub const CALL_VOID_METHOD: usize = 61;
pub const CALL_VOID_METHOD_V: usize = 62;
pub const GET_STATIC_METHOD_ID: usize = 113;
pub const CALL_STATIC_VOID_METHOD: usize = 141;
pub const CALL_STATIC_VOID_METHOD_V: usize = 142;
pub const NEW_STRING_UTF: usize = 167;
pub const MONITOR_ENTER: usize = 217;
pub const MONITOR_EXIT: usize = 218;
pub const NEW_WEAK_GLOBAL_REF: usize = 226;
pub const DELETE_WEAK_GLOBAL_REF: usize = 227;

/// All of them.
pub const INDICES: [usize; 18] = [
    NEW_GLOBAL_REF,
    DELETE_GLOBAL_REF,
    NEW_WEAK_GLOBAL_REF,
    DELETE_WEAK_GLOBAL_REF,
    MONITOR_ENTER,
    MONITOR_EXIT,
    FIND_CLASS,
    GET_METHOD_ID,
    GET_STATIC_METHOD_ID,
    GET_OBJECT_CLASS,
    CALL_OBJECT_METHOD,
    CALL_OBJECT_METHOD_V,
    CALL_VOID_METHOD,
    CALL_VOID_METHOD_V,
    CALL_STATIC_VOID_METHOD,
    CALL_STATIC_VOID_METHOD_V,
    NEW_STRING_UTF,
    FATAL_ERROR,
];

/// What the probe has replaced, in the order of [`INDICES`].
static ORIGINAL: [AtomicPtr<c_void>; INDICES.len()] = [const { AtomicPtr::new(null_mut()) }; INDICES.len()];

thread_local! {
    /// Where the call returns to that this thread makes.
    static CALLER: Cell<u64> = const { Cell::new(0) };
}

/// Notes what the probe replaces.
pub fn keep(place: usize, function: *const c_void) {
    if let Some(original) = ORIGINAL.get(place) {
        original.store(function.cast_mut(), Ordering::Release);
    }
}

/// What the probe has replaced at that place of [`INDICES`].
pub fn kept(place: usize) -> *const c_void {
    ORIGINAL.get(place).map_or(null_mut(), |original| original.load(Ordering::Acquire))
}

/// Notes where the call returns to in whose place the probe's function is called next.
pub fn set_caller(caller: u64) {
    CALLER.set(caller);
}

/// Where the call returns to in whose place the current function is called.
pub fn caller() -> u64 {
    CALLER.get()
}

/// The function that the probe has replaced at that index.
pub fn original(index: usize) -> Function {
    let place = INDICES.iter().position(|replaced| *replaced == index);
    let function = place.map_or(std::ptr::null(), kept);
    match function.is_null() {
        // SAFETY: those that the probe calls take two words, and return one or nothing.
        false => unsafe { std::mem::transmute::<*const c_void, Function>(function) },
        true => nothing,
    }
}

/// In place of a function that has not been replaced: nobody gets here.
unsafe extern "C" fn nothing(_: *mut c_void, _: u64) -> u64 {
    0
}
