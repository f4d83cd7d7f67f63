//! Records the classes that agents find in `Agent_OnAttach`, where the probe follows no local references: `FindClass` is what native
//! code without arguments from Java begins with.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use jvmti_wire::trace::Body;

use super::count::take;
use super::replaced_jni::{self, FIND_CLASS};
use super::{call_sites, callback_stack, environments, local_references};
use crate::recording::{guarded, record};
use crate::vm::probe_environment;
use crate::vm::stage;

/// The probe looks at this many uses at most.
const MOST: u32 = 1 << 12;

static LOOKED: AtomicU32 = AtomicU32::new(0);

/// In place of FindClass.
pub unsafe extern "C" fn find(env: *mut c_void, name: u64) -> u64 {
    // It may run Java code, in which others find classes.
    let caller = replaced_jni::caller();
    // SAFETY: the caller calls FindClass with these.
    let class = unsafe { replaced_jni::original(FIND_CLASS)(env, name) };
    let is_outermost = !callback_stack::is_within() && !local_references::is_followed_here();
    if class != 0 && is_outermost && LOOKED.load(Ordering::Relaxed) < MOST {
        guarded(|| found(class, caller));
    }
    class
}

/// Native code outside of callbacks has found a class.
fn found(class: u64, caller: u64) {
    let is_wanted = stage::is_live() && local_references::is_possible();
    if !is_wanted || take(&LOOKED, u32::MAX, MOST).is_none() {
        return;
    }
    // Native code that Java code has called is that of a native method, or of a library that is being loaded.
    let is_alone = || probe_environment::get().and_then(|probe| probe.frame_count()) == Some(0);
    if environments::is_agent(&call_sites::place(caller).library) && is_alone() {
        record(&Body::ReferencesGiven { handles: vec![class] });
    }
}
