//! Records the global references that any thread creates and deletes, so that the harness knows which of those that an agent
//! uses are still there.
//!
//! An agent that replaces the JNI functions for that, too, calls the probe's, or hides what it does: the harness sees that in the
//! trace.

use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, Ordering};

use jvmti_wire::trace::{Body, NativeCode, ReferenceKind};

use super::key_table::{KeyTable, key_table};
use super::replaced_jni::{self, NEW_GLOBAL_REF, NEW_WEAK_GLOBAL_REF};
use super::{call_sites, function_kinds};
use crate::recording::{guarded, record};

/// The probe records this many creations at most: each is a few bytes.
const MOST: u32 = 1 << 17;

static CREATED: AtomicU32 = AtomicU32::new(0);

/// What has become of references, by their value: [`THERE`], [`DELETED`] or [`USED`]. It is only a hint to record a call: whether
/// the call is wrong is for the harness to judge. What does not fit in is not known to be deleted.
static STATES: KeyTable<AtomicU8, { 1 << 14 }> = key_table!(AtomicU8::new(THERE));

/// The reference exists, as far as the probe knows.
const THERE: u8 = 0;
/// The reference has been deleted.
const DELETED: u8 = 1;
/// The reference has been deleted, and the probe has recorded a call that takes it.
const USED: u8 = 2;

/// Whether any reference has been deleted.
static ANY_DELETED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread is creating a reference through the probe, so that a function beneath does not tell again.
    static CREATING: Cell<bool> = const { Cell::new(false) };
}

/// A thread is about to delete a global reference.
pub fn global_deleted(handle: u64, caller: u64) {
    deleted(handle, ReferenceKind::Global, caller);
}

/// A thread is about to delete a weak global reference.
pub fn weak_deleted(handle: u64, caller: u64) {
    deleted(handle, ReferenceKind::Weak, caller);
}

fn deleted(handle: u64, kind: ReferenceKind, caller: u64) {
    if handle == 0 || CREATED.load(Ordering::Relaxed) >= MOST {
        return;
    }
    record(&Body::ReferenceDeleted { handle, kind, site: call_sites::number(caller) });
    // Before the JVM deletes it: whoever gets the value again comes later.
    if let Some(state) = state(handle, true) {
        state.store(DELETED, Ordering::Release);
        ANY_DELETED.store(true, Ordering::Release);
    }
}

/// Whether a call of the function of that slot, which the probe would only count, takes a reference after its deletion that no
/// recorded call has taken.
#[inline]
pub fn is_first_use_after_deletion(slot: u16, args: &[u64]) -> bool {
    ANY_DELETED.load(Ordering::Relaxed)
        && function_kinds::references(slot, args).any(|handle| {
            state(handle, false).is_some_and(|state| {
                state.compare_exchange(DELETED, USED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
            })
        })
}

/// As [`is_first_use_after_deletion`], which is to be asked next if this is so.
#[inline]
pub fn is_use_after_deletion(slot: u16, args: &[u64]) -> bool {
    let is_deleted =
        |handle| state(handle, false).is_some_and(|state| state.load(Ordering::Acquire) == DELETED);
    ANY_DELETED.load(Ordering::Relaxed) && function_kinds::references(slot, args).any(is_deleted)
}

/// Whether the reference has been deleted, as far as the probe knows.
#[inline]
pub fn is_deleted(handle: u64) -> bool {
    ANY_DELETED.load(Ordering::Relaxed)
        && state(handle, false).is_some_and(|state| state.load(Ordering::Acquire) != THERE)
}

/// What has become of the reference with this value, if the table has it; `add` puts it there.
fn state(handle: u64, add: bool) -> Option<&'static AtomicU8> {
    STATES.find(handle, || add).and_then(|at| STATES.value(at.index()))
}

/// In place of NewGlobalRef.
pub unsafe extern "C" fn new_global(env: *mut c_void, object: u64) -> u64 {
    // SAFETY: the caller calls NewGlobalRef with these.
    unsafe { create((NEW_GLOBAL_REF, ReferenceKind::Global), env, object) }
}

/// In place of NewWeakGlobalRef.
pub unsafe extern "C" fn new_weak(env: *mut c_void, object: u64) -> u64 {
    // SAFETY: the caller calls NewWeakGlobalRef with these.
    unsafe { create((NEW_WEAK_GLOBAL_REF, ReferenceKind::Weak), env, object) }
}

/// # Safety
/// The arguments have to be those of the function with that index.
unsafe fn create((index, kind): (usize, ReferenceKind), env: *mut c_void, object: u64) -> u64 {
    let is_outermost = !CREATING.replace(true);
    // SAFETY: the caller vouches for the arguments.
    let handle = unsafe { replaced_jni::original(index)(env, object) };
    if is_outermost {
        CREATING.set(false);
        guarded(|| created(handle, kind));
    }
    handle
}

fn created(handle: u64, kind: ReferenceKind) {
    if let Some(state) = state(handle, false) {
        state.store(THERE, Ordering::Release);
    }
    if handle == 0 || CREATED.load(Ordering::Relaxed) >= MOST {
        return;
    }
    match CREATED.fetch_add(1, Ordering::Relaxed) {
        before if before + 1 == MOST => record(&Body::GlobalsKnown { known: false }),
        _ => {
            let (weak, site) = (kind == ReferenceKind::Weak, call_sites::number(replaced_jni::caller()));
            record(&Body::Native(NativeCode::GlobalCreated { handle, weak, site }));
        }
    }
}
