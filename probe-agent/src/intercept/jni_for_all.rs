//! Replaces a few JNI functions for all threads, as JVM TI lets agents do: those that create and delete global references, and those
//! that enter and exit the monitors of Java objects.

use std::cell::Cell;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use jvmti_wire::trace::Body;

use super::{foreign_env, global_references, java_monitors, local_references};
use crate::ffi::jni_stub::{self, FUNCTIONS};
use crate::recording::{guarded, record};
use crate::vm::probe_environment;

/// One of the functions: each takes the `JNIEnv` and one word.
pub type Function = unsafe extern "C" fn(*mut c_void, u64) -> u64;

/// What the probe does at the use of a function.
#[derive(Clone, Copy)]
enum Use {
    /// It calls this one in its place.
    InPlace(Function),
    /// It tells this one the argument, and where the call returns to, before.
    Before(fn(u64, u64)),
}

/// Indices in the JNI function table.
pub const NEW_GLOBAL_REF: usize = 21;
const DELETE_GLOBAL_REF: usize = 22;
pub const MONITOR_ENTER: usize = 217;
const MONITOR_EXIT: usize = 218;
pub const NEW_WEAK_GLOBAL_REF: usize = 226;
const DELETE_WEAK_GLOBAL_REF: usize = 227;

const REPLACED: [(usize, Use); 6] = [
    (NEW_GLOBAL_REF, Use::InPlace(global_references::new_global)),
    (DELETE_GLOBAL_REF, Use::Before(global_references::global_deleted)),
    (NEW_WEAK_GLOBAL_REF, Use::InPlace(global_references::new_weak)),
    (DELETE_WEAK_GLOBAL_REF, Use::Before(global_references::weak_deleted)),
    (MONITOR_ENTER, Use::InPlace(java_monitors::enter)),
    (MONITOR_EXIT, Use::Before(java_monitors::exits)),
];

/// The first stub for them: JNI has no function of so high an index.
const FIRST: usize = FUNCTIONS - REPLACED.len();

/// The functions that the probe has replaced.
static ORIGINAL: [AtomicPtr<c_void>; REPLACED.len()] = [const { AtomicPtr::new(null_mut()) }; REPLACED.len()];

thread_local! {
    /// Where the call returns to that this thread makes.
    static CALLER: Cell<u64> = const { Cell::new(0) };
}

/// The start phase has begun: replaces the functions, unless that has been done.
pub fn install() {
    if !jni_stub::SUPPORTED || !local_references::is_possible() {
        return;
    }
    static INSTALLED: AtomicBool = AtomicBool::new(false);
    let Some(environment) = probe_environment::get().filter(|_| !INSTALLED.swap(true, Ordering::AcqRel))
    else {
        return;
    };
    let is_done = environment.edit_jni_functions(|functions| {
        for (place, (index, _)) in REPLACED.iter().enumerate() {
            ORIGINAL[place].store(functions[*index].cast_mut(), Ordering::Release);
            functions[*index] = jni_stub::stub(FIRST + place);
        }
    });
    if is_done {
        record(&Body::GlobalsKnown { known: true });
    }
}

/// A thread uses one of the functions, if the index is that of its stub. Returns the function that the stub has to call.
pub fn used(env: *mut c_void, index: usize, argument: u64, caller: u64) -> Option<*const c_void> {
    let place = index.checked_sub(FIRST)?;
    let (index, todo) = REPLACED.get(place)?;
    foreign_env::judge(env, *index, caller);
    match *todo {
        Use::InPlace(function) => {
            CALLER.set(caller);
            Some(function as *const c_void)
        }
        Use::Before(told) => {
            guarded(|| told(argument, caller));
            Some(ORIGINAL[place].load(Ordering::Acquire))
        }
    }
}

/// Where the call returns to in whose place the current function is called.
pub fn caller() -> u64 {
    CALLER.get()
}

/// The function that the probe has replaced at that index.
pub fn original(index: usize) -> Function {
    let place = REPLACED.iter().position(|(replaced, _)| *replaced == index);
    let function = place.map_or(null_mut(), |place| ORIGINAL[place].load(Ordering::Acquire));
    match function.is_null() {
        // SAFETY: all of these functions take two words, and return one or nothing.
        false => unsafe { std::mem::transmute::<*mut c_void, Function>(function) },
        true => nothing,
    }
}

/// In place of a function that has not been replaced: nobody gets here.
unsafe extern "C" fn nothing(_: *mut c_void, _: u64) -> u64 {
    0
}
