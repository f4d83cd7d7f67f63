//! Replaces a few JNI functions for all threads, as JVM TI lets agents do: those that create and delete global references, those that
//! enter and exit the monitors of Java objects, FindClass, FatalError, and some others with which the use of JNI begins, which show that a `JNIEnv` is
//! that of another thread.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};

use jvmti_wire::trace::Body;

use super::replaced_jni::{self, Function, INDICES};
use super::{
    aborts, foreign_env, found_classes, global_references, java_monitors, local_references,
    reserved_references,
};
use crate::ffi::jni_stub::{self, FUNCTIONS};
use crate::recording::{guarded, record};
use crate::vm::probe_environment;

/// What the probe does at the use of a function.
#[derive(Clone, Copy)]
enum Use {
    /// It calls this one in its place.
    InPlace(Function),
    /// It tells this one the argument, and where the call returns to, before.
    Before(fn(u64, u64)),
    /// It looks only at whose the `JNIEnv` is.
    Judge,
}

/// In the order of [`INDICES`].
const USES: [Use; INDICES.len()] = [
    Use::InPlace(global_references::new_global),
    Use::InPlace(reserved_references::delete_global),
    Use::InPlace(global_references::new_weak),
    Use::Before(global_references::weak_deleted),
    Use::InPlace(java_monitors::enter),
    Use::Before(java_monitors::exits),
    Use::InPlace(found_classes::find),
    Use::Judge,
    Use::Judge,
    Use::Judge,
    Use::Judge,
    Use::Judge,
    Use::Judge,
    Use::Judge,
    Use::Judge,
    Use::Judge,
    Use::Judge,
    Use::Before(aborts::fatal),
];

/// The first stub for them: JNI has no function of so high an index.
const FIRST: usize = FUNCTIONS - INDICES.len();

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
        for (place, index) in INDICES.iter().enumerate() {
            replaced_jni::keep(place, functions[*index]);
            functions[*index] = jni_stub::stub(FIRST + place);
        }
    });
    if is_done {
        reserved_references::install();
        record(&Body::GlobalsKnown { known: true });
    }
}

/// A thread uses one of the functions, if the index is that of its stub. Returns the function that the stub has to call.
pub fn used(env: *mut c_void, index: usize, argument: u64, caller: u64) -> Option<*const c_void> {
    let place = index.checked_sub(FIRST)?;
    let (index, todo) = (INDICES.get(place)?, USES.get(place)?);
    foreign_env::judge(env, *index, caller);
    match *todo {
        Use::InPlace(function) => {
            replaced_jni::set_caller(caller);
            Some(function as *const c_void)
        }
        Use::Before(told) => {
            guarded(|| told(argument, caller));
            Some(replaced_jni::kept(place))
        }
        Use::Judge => Some(replaced_jni::kept(place)),
    }
}
