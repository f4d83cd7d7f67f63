//! Keeps the values of global references that agents have deleted from being given again, where the probe poisons: a placeholder, which
//! refers to another object, takes the place of each for a while. So a reference that is deleted twice is seen even if the agent creates
//! others in between.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jni_sys::JNI_VERSION_1_6;

use super::replaced_jni::{self, DELETE_GLOBAL_REF, NEW_GLOBAL_REF};
use super::{call_sites, environments, global_references, poison};
use crate::recording::guarded;
use crate::vm::jni::{self, Jni};

/// The number of placeholders at the same time.
const MOST: usize = 1024;

/// A global reference to the object that placeholders refer to; 0: there is none.
static OBJECT: AtomicU64 = AtomicU64::new(0);
/// The oldest first.
static PLACEHOLDERS: Mutex<VecDeque<u64>> = Mutex::new(VecDeque::new());

fn placeholders() -> MutexGuard<'static, VecDeque<u64>> {
    PLACEHOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The start phase has begun.
pub fn install() {
    if !poison::is_on() {
        return;
    }
    let Some(jni) = Jni::current() else { return };
    if let Some(class) = jni.find_class(c"java/lang/Object") {
        OBJECT.store(jni.new_global(class).word(), Ordering::Release);
        jni.delete_local(class);
    }
}

/// In place of DeleteGlobalRef.
pub unsafe extern "C" fn delete_global(env: *mut c_void, handle: u64) -> u64 {
    let caller = replaced_jni::caller();
    guarded(|| global_references::global_deleted(handle, caller));
    let is_on = OBJECT.load(Ordering::Acquire) != 0;
    // A placeholder is not the caller's to delete.
    if is_on && placeholders().contains(&handle) {
        return 0;
    }
    // SAFETY: the caller calls DeleteGlobalRef with these.
    unsafe { replaced_jni::original(DELETE_GLOBAL_REF)(env, handle) };
    if is_on && handle != 0 {
        guarded(|| {
            if environments::is_agent(&call_sites::place(caller).library) {
                reserve();
            }
        });
    }
    0
}

/// Creates a placeholder, which mostly gets the value that was given up last.
fn reserve() {
    // An agent may have used the environment of another thread.
    let Ok(env) = jni::get_env(JNI_VERSION_1_6) else { return };
    if Jni::current().is_none_or(Jni::exception_pending) {
        return;
    }
    // SAFETY: the environment is that of the current thread, and the reference is never deleted.
    let placeholder = unsafe { replaced_jni::original(NEW_GLOBAL_REF)(env, OBJECT.load(Ordering::Acquire)) };
    let mut placeholders = placeholders();
    placeholders.push_back(placeholder);
    let oldest = if placeholders.len() > MOST { placeholders.pop_front() } else { None };
    drop(placeholders);
    if let Some(oldest) = oldest {
        // SAFETY: the probe created it, and nobody else may use it.
        unsafe { replaced_jni::original(DELETE_GLOBAL_REF)(env, oldest) };
    }
}
